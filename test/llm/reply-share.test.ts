import { expect, test } from 'vitest';
import { shareReplies } from '#core/llm/reply-share.ts';

const MIB = 1024 * 1024;

test('an answer that fills the memory of all is ended, small ones beside it are read, and what is over counts no more', () => {
  const large = shareReplies();
  const small = shareReplies();
  const fill = () => {
    for (let mebibytes = 0; mebibytes < 1024 * 1024; mebibytes += 1) large.take(MIB);
  };

  expect(fill).toThrow(/while other answers fill the memory of this worker/);
  expect(() => small.take(MIB)).not.toThrow();
  large.release();
  small.release();

  expect(() => large.take(100 * MIB)).not.toThrow();
  large.release();
});

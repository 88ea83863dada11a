import { expect, test } from 'vitest';
import { finishReply, startReply, takeChunk } from '#core/llm/openai/reply-accumulator.ts';

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const done = chunk({}, 'stop');

function parse(...chunks: object[]) {
  const reply = startReply({ provider: 'openai' });
  const deltas = chunks.flatMap((each) => takeChunk(reply, each));
  return { reply: finishReply(reply), deltas };
}

test('a refusal is the text of a reply with the finish reason refusal', () => {
  const { reply, deltas } = parse(chunk({ refusal: "I can't " }), chunk({ refusal: 'help.' }), done);

  expect(reply).toMatchObject({ text: "I can't help.", finishReason: 'refusal', finishReasonRaw: 'stop' });
  expect(reply.refusalFrom).toBe(0);
  expect(deltas).toEqual([
    { kind: 'refusal', text: "I can't " },
    { kind: 'refusal', text: 'help.' },
  ]);
});

test('a refusal after text begins at the end of the text, also in one delta', () => {
  const { reply, deltas } = parse(chunk({ content: 'Gladly 👋 ', refusal: 'or ' }), chunk({ refusal: 'not.' }), done);

  expect(reply).toMatchObject({ text: 'Gladly 👋 or not.', refusalFrom: 'Gladly 👋 '.length, finishReason: 'refusal' });
  expect(deltas.map(({ kind }) => kind)).toEqual(['text', 'refusal', 'refusal']);
});

test('a reply without a refusal has no refusal position', () => {
  expect(parse(chunk({ content: 'Hi', refusal: '' }), done).reply.refusalFrom).toBeNull();
});

import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { type Followed, followResponse } from '../../examples/follow-response.ts';
import { playResponse } from '../api/openai/responses/play-response.ts';
import { createStreamHarness, type StreamHarness } from '../api/openai/responses/stream-harness.ts';

const clientOf = ({ url }: StreamHarness) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 });

function textOf(followed: Followed[]): string {
  const counting = followed.slice(followed.findLastIndex(({ kind }) => kind === 'anew') + 1);
  const events = counting.flatMap((each) => (each.kind === 'event' ? [each.event] : []));
  return events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
}

/** Reads on until the valid text is `text`, or to the end without a `text`. */
async function readOn(follower: AsyncGenerator<Followed>, seen: Followed[], text?: string): Promise<Followed[]> {
  while (text === undefined || textOf(seen) !== text) {
    const next = await follower.next();
    if (next.done) break;
    seen.push(next.value);
  }
  return seen;
}

test('a follower of a superseded response drops old text and gets the stored text', async () => {
  await using harness = await createStreamHarness();
  const response = await playResponse(harness);
  await response.start();
  const follower = followResponse(clientOf(harness), response.id);
  const seen: Followed[] = [(await follower.next()).value];

  const first = await response.publishRound();
  first.say('One, two');
  await readOn(follower, seen, 'One, two');
  first.end();
  await response.beginAgain();
  await response.complete({ text: 'One, and three.' }, 1);
  await readOn(follower, seen);

  expect(seen.filter(({ kind }) => kind !== 'event')).toEqual([{ kind: 'anew' }]);
  expect(textOf(seen)).toBe('One, and three.');
  expect(seen.at(-1)).toMatchObject({ event: { type: 'response.completed' } });

  const later = await readOn(followResponse(clientOf(harness), response.id, 5), []);
  expect(later[0]).toEqual({ kind: 'anew' });
  expect(textOf(later)).toBe('One, and three.');
});

test('a follower of a missing response gets a 404', async () => {
  await using harness = await createStreamHarness();

  const following = followResponse(clientOf(harness), 'turn_00000000000000000000000000').next();

  await expect(following).rejects.toMatchObject({ status: 404 });
});

import { sql } from 'kysely';
import { expect } from 'vitest';
import { eraseAllHidden } from '#services/worker/routines/erase-hidden.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { tablesWith } from '../../blobs/samples.ts';
import { test } from '../test.ts';
import { answerOf, completing, scriptedUser, turnIdOf, user } from './completing.ts';

const secret = [scriptedUser({ answer: 'SECRET.' })];

/** Lets the minute pass within which the content must be erased. */
async function eraseWithinMinute(harness: Harness): Promise<void> {
  await sql`update turns set completed_at = completed_at - interval '1 minute'`.execute(harness.db);
  await harness.advance(60_000);
  await eraseAllHidden(harness.worker);
}

test('a completion with store: false is erased within a minute after its end', async ({ harness, worker: _ }) => {
  const { complete } = completing(harness);

  const { id } = await complete({ messages: secret, store: false });
  await eraseWithinMinute(harness);

  expect(await tablesWith(harness, 'SECRET.')).toEqual([]);
  expect(await tablesWith(harness, turnIdOf(id))).not.toContain('completions');
});

test('a deleted completion is erased within a minute, with the hash of its messages', async ({
  harness,
  worker: _,
}) => {
  const { complete, completions } = completing(harness);
  const completion = await complete({ messages: secret, store: true });

  await completions.delete(completion.id);
  await eraseWithinMinute(harness);

  expect(await tablesWith(harness, 'SECRET.')).toEqual([]);
  expect(await tablesWith(harness, turnIdOf(completion.id))).not.toContain('completions');
});

test('a completion that continues a deleted completion keeps its client’s messages', async ({ harness, worker: _ }) => {
  const { complete, completions } = completing(harness);
  const first = await complete({ messages: secret });
  const next = await complete({ messages: [...secret, answerOf(first), user('And?')] });

  await completions.delete(first.id);
  await eraseWithinMinute(harness);

  const { data } = await completions.messages.list(next.id);
  expect(data.map(({ content }) => content)).toEqual([secret[0]?.content, 'SECRET.', 'And?']);
});

test('a completion that names a deleted completion as previous keeps its history', async ({ harness, worker: _ }) => {
  const { complete, completions, lastSent } = completing(harness);
  const first = await complete({ messages: secret });
  const second = await complete({ messages: [user('And?')], pawl: { previous_completion_id: first.id } });

  await completions.delete(first.id);
  await eraseWithinMinute(harness);
  await complete({ messages: [user('And then?')], pawl: { previous_completion_id: second.id } });

  expect(lastSent().messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []))).toEqual([
    ...[secret[0]?.content, 'And?', 'And then?'],
  ]);
});

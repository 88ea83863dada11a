import { expect } from 'vitest';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { newId } from '#core/id.ts';
import type { InputItem } from '#core/turn/request/item.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { wakeupOf } from '#core/turn/wakeup.ts';
import type { Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const sunny = scripted({ answer: 'Sunny.' });

test('the first turn of a fork is sent with exactly the history that it is based on', async ({ harness }) => {
  const { id, conversation_id } = await harness.runTurn({ input: sunny });
  const path = `/v1/conversations/${conversation_id}/turns`;
  await harness.call<TurnResource>('POST', path, { body: { input: scripted({ answer: 'Elsewhere.' }) } });
  await harness.workUntilIdle();

  await fork(harness, id, [{ role: 'user', content: 'And tomorrow?' }]);
  await harness.workUntilIdle();

  expect(harness.modelRequests.at(-1)?.body.messages).toEqual([
    { role: 'user', content: sunny },
    { role: 'assistant', content: 'Sunny.' },
    { role: 'user', content: 'And tomorrow?' },
  ]);
});

/** Forks the conversation of a turn, and runs the fork's first turn. */
async function fork({ db, parts }: Harness, turnId: string, input: InputItem[]): Promise<void> {
  const { project, config, position } = (await loadTurn(db, turnId))!;
  const turn = { id: newId('turn'), project, conversationId: newId('conv'), config, input, metadata: {}, priority: 0 };
  const standing = { config: { model: config.model }, metadata: {}, forkedFrom: { turnId, position } };
  await parts.jobQueue.enqueue([wakeupOf(await createFirstTurn(db, turn, standing))]);
}

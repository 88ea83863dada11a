import { sql } from 'kysely';
import { createFirstTurn } from '#core/checkpoint/turns/create.ts';
import { loadTurn } from '#core/checkpoint/turns/reading/find.ts';
import { newId } from '#core/id.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { wakeupOf } from '#core/turn/wakeup.ts';
import type { Harness } from './create-harness.ts';
import { plainConfig } from './plain-config.ts';
import { scripted } from './scripted.ts';

type Start = { input?: string; stored?: boolean; forkedFrom?: string; webhook?: TurnConfig['webhook'] };

/** Starts a turn in a conversation that is deleted with the turn: an unstored turn, a fork, or both. */
export async function startAlone(
  { db, worker }: Harness,
  { input = 'Hi', stored = true, ...start }: Start,
): Promise<string> {
  const origin = start.forkedFrom === undefined ? undefined : await loadTurn(db, start.forkedFrom);
  const turn = await createFirstTurn(
    db,
    {
      ...{ id: newId('turn'), conversationId: newId('conv'), project: 'default', priority: 0, metadata: {}, stored },
      config: { ...plainConfig, model: 'openai/test', ...(start.webhook && { webhook: start.webhook }) },
      input: [{ role: 'user', content: input }],
    },
    {
      ...{ config: {}, metadata: {}, outlivesTurns: false },
      ...(origin && { forkedFrom: { turnId: origin.id, position: origin.position } }),
    },
  );
  await worker.enqueue([wakeupOf(turn)]);
  return turn.id;
}

/** Starts a turn in a new conversation, a fork of another up to and including a turn. */
export function fork(harness: Harness, turnId: string): Promise<string> {
  return startAlone(harness, { forkedFrom: turnId });
}

/** Makes a turn unstored, as if it had been from the start. */
export async function makeUnstored({ db }: Harness, turnId: string): Promise<void> {
  for (const table of ['work', 'turns'])
    await sql`update ${sql.table(table)} set stored = false where id = ${turnId}`.execute(db);
  await sql`update conversations set hidden_at = now(), erase_due_at = now(), outlives_turns = false
    where id = (select conversation_id from turns where id = ${turnId})`.execute(db);
}

export async function failedTurn(harness: Harness): Promise<{ turn: TurnResource; delivery: string }> {
  const input = scripted({ answer: 'Hi', final: { fault: { kind: 'status', status: 401 } } });
  const turn = await harness.startTurn({ input, webhook: { url: 'http://127.0.0.1:9/' } });
  await harness.workUntilIdle();
  const { body } = await harness.call<{ data: { id: string }[] }>('GET', `/v1/turns/${turn.id}/deliveries`);
  return { turn, delivery: body.data[0]!.id };
}

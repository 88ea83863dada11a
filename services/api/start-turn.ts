import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { lockVisibleConversation } from '#core/checkpoint/turns/lock.ts';
import { findActiveTurns } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { newId } from '#core/id.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { StandingConfig, TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import type { Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { keepTaken, type TakenInput } from './blobs/take-parts.ts';
import type { Made, Making } from './http/idempotency.ts';

type RequestFields = Pick<TurnRequest, 'on_active_turn' | 'priority' | 'metadata'>;

/** A turn to be started in a conversation that the caller has found to be the project's own; `taken` is its input. */
export type TurnStart = {
  project: string;
  conversationId: string;
  config: TurnConfig;
  taken: TakenInput;
  request: RequestFields;
};

/** The started turn, with the wake-ups to enqueue and the turns it interrupted, for after the commit. */
export type Started = Made & { turn: Turn; wakeups: Wakeup[]; interrupted: string[] };

/** Records a turn behind, or in place of, the active turns of its conversation (contract: on_active_turn). */
export async function startTurn(trx: Trx, start: TurnStart): Promise<Started> {
  const { project, conversationId, request, taken } = start;
  if (!(await lockVisibleConversation(trx, conversationId))) {
    throw new RequestRefused(404, 'conversation_not_found', 'There is no conversation of this id.', 'id');
  }
  const active = await findActiveTurns(trx, conversationId);
  const interrupted = settleActive(active, request.on_active_turn ?? 'enqueue');
  const wakeups: Wakeup[] = [];
  for (const turnId of interrupted) {
    wakeups.push(...((await endTurn(trx, { turnId, conversationId, status: 'cancelled' })) ?? []));
  }

  const turn = await createTurn(trx, newTurn(start));
  await keepTaken(trx, { project, turnId: turn.id, taken });
  return { status: 202, resourceId: turn.id, turn, wakeups: [...wakeups, ...firstWakeup(turn)], interrupted };
}

type Standing = { config: StandingConfig; metadata: Record<string, string> };

/**
 * Records a conversation and the turn it begins with, in one statement where it has no blobs; `standing` is what its later
 * turns inherit.
 */
export function startingConversation(start: TurnStart, standing: Standing): Making<Started> {
  const { project, taken } = start;
  if (taken.hashes.length === 0) return { atOnce: (db) => startConversation(db, start, standing) };
  return {
    together: async (trx) => {
      const started = await startConversation(trx, start, standing);
      await keepTaken(trx, { project, turnId: started.turn.id, taken });
      return started;
    },
  };
}

/** Records a conversation and a turn that refers to no blobs. */
export async function startConversation(db: Db, start: TurnStart, standing: Standing): Promise<Started> {
  const turn = await createFirstTurn(db, newTurn(start), standing);
  return { status: 202, resourceId: turn.id, turn, wakeups: firstWakeup(turn), interrupted: [] };
}

/** A turn that is not at the head waits for the one that is. */
function firstWakeup(turn: Turn): Wakeup[] {
  return turn.work.atHead ? [wakeupOf(turn)] : [];
}

function newTurn({ request, taken, ...start }: TurnStart): NewTurn {
  const { priority, metadata } = request;
  return {
    ...start,
    id: newId('turn'),
    input: taken.input,
    priority: priority ?? 0,
    metadata: metadata ?? {},
  };
}

/** The turns to cancel. The last one goes first, so that none comes to the head only to be cancelled there. */
function settleActive(active: string[], policy: 'enqueue' | 'reject' | 'interrupt'): string[] {
  if (policy === 'interrupt') return active.reverse();
  if (policy === 'reject' && active.length > 0) {
    const message = `The conversation is at ${active[0]}. Wait for it, cancel it, or send on_active_turn enqueue or interrupt.`;
    throw new RequestRefused(409, 'conversation_busy', message, 'on_active_turn');
  }
  return [];
}

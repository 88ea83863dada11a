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
import type { Made } from './http/idempotency.ts';

type RequestFields = Pick<TurnRequest, 'input' | 'on_active_turn' | 'priority' | 'metadata'>;

/** A turn to be started in a conversation that the caller has found to be the project's own. */
export type TurnStart = { project: string; conversationId: string; config: TurnConfig; request: RequestFields };

/** The started turn, with the wake-ups to enqueue and the turns it interrupted, for after the commit. */
export type Started = Made & { turn: Turn; wakeups: Wakeup[]; interrupted: string[] };

/** Records a turn behind, or in place of, the active turns of its conversation (contract: on_active_turn). */
export async function startTurn(trx: Trx, { project, conversationId, config, request }: TurnStart): Promise<Started> {
  if (!(await lockVisibleConversation(trx, conversationId))) {
    throw new RequestRefused(404, 'conversation_not_found', 'There is no conversation of this id.', 'id');
  }
  const active = await findActiveTurns(trx, conversationId);
  const interrupted = settleActive(active, request.on_active_turn ?? 'enqueue');
  const wakeups: Wakeup[] = [];
  for (const turnId of interrupted) {
    wakeups.push(...((await endTurn(trx, { turnId, conversationId, status: 'cancelled' })) ?? []));
  }

  const turn = await createTurn(trx, newTurn({ project, conversationId, config, request }));
  return { status: 202, resourceId: turn.id, turn, wakeups: [...wakeups, ...firstWakeup(turn)], interrupted };
}

/** Records a conversation and the turn it begins with; `standing` is what its later turns inherit. */
export async function startConversation(
  db: Db,
  start: TurnStart,
  standing: { config: StandingConfig; metadata: Record<string, string> },
): Promise<Started> {
  const turn = await createFirstTurn(db, newTurn(start), standing);
  return { status: 202, resourceId: turn.id, turn, wakeups: firstWakeup(turn), interrupted: [] };
}

/** A turn that is not at the head waits for the one that is. */
function firstWakeup(turn: Turn): Wakeup[] {
  return turn.work.atHead ? [wakeupOf(turn)] : [];
}

function newTurn({ request, ...start }: TurnStart): NewTurn {
  const { input, priority, metadata } = request;
  return {
    ...start,
    id: newId('turn'),
    input: typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input,
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

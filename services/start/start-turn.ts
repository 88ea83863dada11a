import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { createFirstTurn, createTurn } from '#core/checkpoint/turns/create.ts';
import { endTurn } from '#core/checkpoint/turns/end.ts';
import { lockVisibleConversation } from '#core/checkpoint/turns/lock.ts';
import { findActiveTurns } from '#core/checkpoint/turns/reading/find.ts';
import { RequestRefused } from '#core/failure.ts';
import { newIdBeside } from '#core/id.ts';
import type { TurnTrace } from '#core/trace-context.ts';
import type { NewTurn } from '#core/turn/predict.ts';
import type { StandingConfig, TurnConfig, TurnRequest } from '#core/turn/request/turn.ts';
import { lacksPlace, type Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import { joinActive } from './join-active.ts';
import type { Made, Making } from './made.ts';
import { type StartFields, startTimeOf } from './start-time.ts';
import { keepTaken, type TakenInput } from './take-parts.ts';

type RequestFields = Pick<TurnRequest, 'on_active_turn' | 'priority' | 'metadata'> & StartFields;

/**
 * A turn to be started in a conversation that the caller has found to be the project's own; `taken` is its input, `keyId` that
 * of the key that asks for it.
 */
export type TurnStart = {
  project: string;
  keyId: string | null;
  conversationId: string;
  config: TurnConfig;
  taken: TakenInput;
  request: RequestFields;
  /** What the request itself says of the configuration: a turn that its input joins has to have the same. */
  given?: StandingConfig;
  /** The trace that the request came with. */
  trace: TurnTrace | null;
  /** The schedule that starts it. */
  scheduleId?: string;
  /** Whether no worker may be on it before it has a place. */
  needsPlace: boolean;
};

/** The started turn, with the wake-ups to enqueue and the turns it interrupted, for after the commit. */
export type Started = Made & { turn: Turn; wakeups: Wakeup[]; interrupted: string[] };

/** An input that has joined a turn which was there, so that none was started. */
export type Joined = Made & Pick<Started, 'wakeups' | 'interrupted'> & { hasJoined: true };

/** Records a turn behind, or in place of, the active turns of its conversation (contract: on_active_turn), under its lock. */
export async function startTurn(trx: Trx, start: TurnStart): Promise<Started> {
  await lockConversation(trx, start);
  return recordTurn(trx, start);
}

/** The same, unless the input is to join one of the active turns and can (R26). A time that goes with no joining is refused in any case. */
export async function joinOrStartTurn(trx: Trx, start: TurnStart): Promise<Started | Joined> {
  startTimeOf(start.request);
  await lockConversation(trx, start);
  const joined = await joinActive(trx, start);
  return joined ? { ...joined, wakeups: [], interrupted: [], hasJoined: true } : recordTurn(trx, start);
}

async function lockConversation(trx: Trx, { conversationId }: TurnStart): Promise<void> {
  if (await lockVisibleConversation(trx, conversationId)) return;
  throw new RequestRefused(404, 'conversation_not_found', 'There is no conversation of this id.', 'id');
}

async function recordTurn(trx: Trx, start: TurnStart): Promise<Started> {
  const { project, conversationId, request, taken } = start;
  const started = newTurn(start);
  const active = await findActiveTurns(trx, conversationId);
  const interrupted = settleActive(active, request.on_active_turn ?? 'enqueue');
  const wakeups: Wakeup[] = [];
  for (const turnId of interrupted) {
    wakeups.push(...((await endTurn(trx, { turnId, conversationId, status: 'cancelled' })) ?? []));
  }

  const turn = await createTurn(trx, started);
  await keepTaken(trx, { project, turnId: turn.id, taken });
  return { status: 202, resourceId: turn.id, turn, wakeups: [...wakeups, ...firstWakeup(turn)], interrupted };
}

type Standing = {
  config: StandingConfig;
  metadata: Record<string, string>;
  begunByTurn?: boolean;
  /** Of a fork, whose origin's conversation is locked: the turn that it stands on, all of it or up to a round. */
  forkedFrom?: { turnId: string; position: number; round?: number };
};

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

/** A turn that is not at the head waits for the one that is, others may wait for a place. */
function firstWakeup(turn: Turn): Wakeup[] {
  return turn.work.atHead && !lacksPlace(turn) ? [wakeupOf(turn)] : [];
}

function newTurn({ request, taken, given: _, ...start }: TurnStart): NewTurn {
  const { priority, metadata } = request;
  return {
    ...start,
    id: newIdBeside('turn', start.conversationId),
    input: taken.input,
    priority: priority ?? 0,
    metadata: metadata ?? {},
    ...startTimeOf(request),
  };
}

/** The turns to cancel. The last one goes first, so that none comes to the head only to be cancelled there. */
function settleActive(active: string[], policy: NonNullable<RequestFields['on_active_turn']>): string[] {
  if (policy === 'interrupt') return active.reverse();
  if (policy === 'reject' && active.length > 0) {
    const message = `The conversation is at ${active[0]}. Wait for it, cancel it, or send on_active_turn enqueue, steer or interrupt.`;
    throw new RequestRefused(409, 'conversation_busy', message, 'on_active_turn');
  }
  return [];
}

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
import { lacksSlot, type Turn } from '#core/turn/turn.ts';
import { type Wakeup, wakeupOf } from '#core/turn/wakeup.ts';
import type { Created, Creation } from './creation.ts';
import { joinActive } from './join-active.ts';
import { type StartFields, startTimeOf } from './start-time.ts';
import { keepTaken, type TakenInput } from './take-parts.ts';

type RequestFields = Pick<TurnRequest, 'on_active_turn' | 'priority' | 'metadata'> & StartFields;

/**
 * A turn to start in a conversation of the project. `taken` is its input, and `keyId` is the id of the key that
 * requests it.
 */
export type TurnStart = {
  project: string;
  keyId: string | null;
  conversationId: string;
  config: TurnConfig;
  taken: TakenInput;
  request: RequestFields;
  /** The configuration fields of the request. A turn that the input joins must have the same values. */
  given?: StandingConfig;
  /** The names of the only agents that a joined turn may have. */
  allowedAgents?: readonly string[] | null;
  /** The trace of the request. */
  trace: TurnTrace | null;
  /** The schedule that starts the turn. */
  scheduleId?: string;
  /** Whether the turn needs a slot before a worker may run it. */
  needsSlot: boolean;
};

/** The started turn, with the wake-ups to enqueue and the turns it interrupted, for after the commit. */
export type Started = Created & { turn: Turn; wakeups: Wakeup[]; interrupted: string[] };

/** An input that joined an existing turn, so no turn was started. */
export type Joined = Created & Pick<Started, 'wakeups' | 'interrupted'> & { hasJoined: true };

/** Records a turn after the active turns of its conversation, or in their place, under the lock of the conversation. */
export async function startTurn(trx: Trx, start: TurnStart): Promise<Started> {
  await lockConversation(trx, start);
  return recordTurn(trx, start);
}

/**
 * Does the same, unless the input is to join an active turn and can (R26). A time that cannot be combined with
 * joining is always refused.
 */
export async function joinOrStartTurn(trx: Trx, start: TurnStart): Promise<Started | Joined> {
  startTimeOf(start.request);
  await lockConversation(trx, start);
  const joined = await joinActive(trx, start);
  return joined ? { ...joined, wakeups: [], interrupted: [], hasJoined: true } : recordTurn(trx, start);
}

async function lockConversation(trx: Trx, { conversationId }: TurnStart): Promise<void> {
  if (await lockVisibleConversation(trx, conversationId)) return;
  throw new RequestRefused(
    404,
    'conversation_not_found',
    'Conversation not found. Check its id, and that the API key belongs to its project.',
    'id',
  );
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
  /** For a fork: its base, the whole turn or the turn up to a round. The original conversation is locked. */
  forkedFrom?: { turnId: string; position: number; round?: number };
};

/**
 * Records a conversation and its first turn, in a single statement if the turn has no blobs. `standing` is the
 * configuration that later turns inherit.
 */
export function startingConversation(start: TurnStart, standing: Standing): Creation<Started> {
  const { project, taken } = start;
  if (taken.hashes.length === 0) return { alone: (db) => startConversation(db, start, standing) };
  return {
    inTransaction: async (trx) => {
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

/** A turn that is not at the head waits for the turn at the head. Other turns may wait for a slot. */
function firstWakeup(turn: Turn): Wakeup[] {
  return turn.work.atHead && !lacksSlot(turn) ? [wakeupOf(turn)] : [];
}

function newTurn({ request, taken, given: _, allowedAgents: __, ...start }: TurnStart): NewTurn {
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

/** Returns the turns to cancel. The last turn is first, so that no turn reaches the head only to be cancelled there. */
function settleActive(active: string[], policy: NonNullable<RequestFields['on_active_turn']>): string[] {
  if (policy === 'interrupt') return active.reverse();
  if (policy === 'reject' && active.length > 0) {
    const message =
      `The conversation is busy with ${active[0]}. Wait for it, cancel it, or set \`on_active_turn\` ` +
      'to `enqueue`, `steer` or `interrupt`.';
    throw new RequestRefused(409, 'conversation_busy', message, 'on_active_turn');
  }
  return [];
}

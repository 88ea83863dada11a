import type { RequestedCall } from './message.ts';
import type { Reply } from './reply.ts';
import type { ToolEffect } from './request/tool.ts';
import { FIRST_STEP, stepAfter } from './step.ts';
import type { ToolResult } from './tool-result.ts';
import type { Round, ToolCall, Turn, WaitsFor, Work } from './turn.ts';

// The turn as a commit of this process leaves it, so that it need not be read. SQL decides: test/checkpoint/predict.test.ts
// holds each prediction against the turn as it is read. Only times differ: those here are of this process's clock.

/** What a turn is started with. */
export type NewTurn = Pick<Turn, 'id' | 'project' | 'conversationId' | 'config' | 'input' | 'priority' | 'metadata'>;

/** What the conversation and the database's clock add to it. */
export type QueuedTurn = Pick<Turn, 'position' | 'createdAt'> & { atHead: boolean };

/** A reply that was committed, with its calls. `startedAt` is in milliseconds since 1970; `warnings` are all of the turn. */
export type SavedRound = {
  number: number;
  model: string;
  reply: Reply;
  attempts: number;
  startedAt: number;
  warnings: string[];
  calls: (RequestedCall & { effect: ToolEffect; waitsFor: WaitsFor | null })[];
};

/** The work on a step that was just made due: no run has taken it, and its wake-up was enqueued once. */
const FRESH_STEP = {
  ...{ generation: 0, leaseOwner: null, leased: false, starts: 0, attempts: 0 },
  ...{ rateLimited: false, retryAt: null, early: false },
} satisfies Partial<Work>;

/** The turn that was just recorded. */
export function predictQueuedTurn(turn: NewTurn, { position, createdAt, atHead }: QueuedTurn): Turn {
  const seconds = turn.config.limits.deadline_seconds;
  return {
    ...turn,
    ...{ position, createdAt, status: 'queued', rounds: [], lastEvent: 1, warnings: [], failedRequests: 0 },
    ...{ output: null, error: null, incompleteReason: null, startedAt: null, completedAt: null },
    work: {
      ...{ ...FRESH_STEP, step: FIRST_STEP, atHead, uncontended: false, waitedMs: 0, waitingSince: createdAt },
      ...{ overdue: false, deadlineInMs: seconds === null ? null : seconds * 1_000 },
    },
  };
}

/**
 * The turn after the commit of a round: its batch is due. Null where a call waits for a client or a person: their
 * answers may be there already (R3).
 */
export function predictAfterRound(turn: Turn, saved: SavedRound): Turn | null {
  if (saved.calls.some(({ waitsFor }) => waitsFor !== null)) return null;
  const committedAt = new Date().toISOString();
  const round = roundOf(saved, committedAt);
  // A run has its turn as it was before it took it: `turn.started` was appended since.
  const events = turn.startedAt === null ? ['turn.started', 'round.completed'] : ['round.completed'];
  return {
    ...{ ...turn, status: 'in_progress', startedAt: turn.startedAt ?? committedAt, warnings: saved.warnings },
    ...{ rounds: [...turn.rounds, round], lastEvent: turn.lastEvent + events.length },
    work: workAfter(turn, committedAt),
  };
}

/**
 * The turn after `results`, the last ones of a batch: the next round is due. Null where a call has no
 * result among them, or waited for a client or a person: then the turn has to be read (R3).
 */
export function predictAfterBatch(turn: Turn, results: ReadonlyMap<number, ToolResult>): Turn | null {
  const round = turn.rounds.at(-1);
  const isKnown = ({ index, waitsFor, result }: ToolCall) => waitsFor === null && (result ?? results.get(index));
  if (!round?.calls.every(isKnown)) return null;
  const committedAt = new Date().toISOString();
  const calls = round.calls.map((call) =>
    call.result ? call : { ...call, result: results.get(call.index) ?? null, completedAt: committedAt },
  );
  const answered = round.calls.filter(({ result }) => result === null).length;
  return {
    ...{ ...turn, rounds: [...turn.rounds.slice(0, -1), { ...round, calls }], lastEvent: turn.lastEvent + answered },
    work: workAfter(turn, committedAt),
  };
}

/** The work on a turn after a step: the next one is due. */
function workAfter({ work }: Turn, committedAt: string): Work {
  return { ...work, ...FRESH_STEP, step: stepAfter(work.step), uncontended: true, waitingSince: committedAt };
}

function roundOf({ number, model, reply, attempts, startedAt, calls }: SavedRound, completedAt: string): Round {
  const { text, finishReason, finishReasonRaw, usage, opaque = null, requests = 1 } = reply;
  return {
    ...{ number, model, text, finishReason, finishReasonRaw, usage, opaque, requests, attempts, completedAt },
    startedAt: new Date(startedAt).toISOString(),
    calls: calls.map((call, index) => openCall(call, { round: number, index })),
  };
}

function openCall(
  { id, name, arguments: args, effect }: SavedRound['calls'][number],
  position: Pick<ToolCall, 'round' | 'index'>,
): ToolCall {
  return {
    ...{ ...position, id, name, arguments: args, effect, waitsFor: null, expiresAt: null, expired: false },
    ...{ approval: null, claimedBy: null, claimedAt: null, result: null, completedAt: null },
  };
}

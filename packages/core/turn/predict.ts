import { latestCalls } from './call.ts';
import type { RequestedCall } from './message.ts';
import type { Violation } from './output/violation.ts';
import type { Reply } from './reply.ts';
import type { ToolEffect } from './request/tool.ts';
import { FIRST_STEP, nameStep, stepAfter } from './step.ts';
import type { ToolResult } from './tool-result.ts';
import type { Approval, Round, ToolCall, Turn, WaitsFor, Work } from './turn.ts';

// These functions derive the turn after a commit of this process, which saves a read. SQL decides:
// test/checkpoint/predict.test.ts compares each prediction with the turn from the database. Only times differ, since
// predictions use this process's clock.

export type NewTurn = Pick<Turn, 'id' | 'project' | 'conversationId' | 'config' | 'input' | 'priority' | 'metadata'> &
  Partial<Pick<Turn, 'stored' | 'trace'>> & {
    /** Whether a turn needs a slot before a worker may take it (R27). */
    needsSlot?: boolean;
    /** Whether merged inputs delay the start of the turn. */
    debounced?: boolean;
    /** The id of the requesting key, for usage only. */
    keyId?: string | null;
    /** The earliest start: a time of RFC 3339, or seconds from now. */
    startAt?: string | null;
    delaySeconds?: number | null;
    scheduleId?: string | null;
    completion?: NewCompletion | undefined;
  };

/**
 * `before` has hashes of the first messages, the longest first. The completion continues an earlier completion with
 * such a hash.
 */
export type NewCompletion = { isListed: boolean; before: string[] };

/** The values that the conversation and the database's clock add to a new turn. */
export type QueuedTurn = Pick<Turn, 'position' | 'createdAt' | 'continues'> & {
  atHead: boolean;
  startAt: string | null;
  delayed: boolean;
  deadlineInMs: number | null;
  hasEndpoints: boolean;
};

/**
 * A committed reply with its calls. `startedAt` is in milliseconds since 1970. `warnings` has all warnings of the
 * turn.
 */
export type SavedRound = {
  number: number;
  model: string;
  reply: Reply;
  attempts: number;
  /** The draft number from the run's lease, or null without a number. */
  draft?: number | null;
  startedAt: number;
  warnings: string[];
  violations?: Violation[] | null;
  calls: (RequestedCall & {
    effect: ToolEffect;
    waitsFor: WaitsFor | null;
    result?: ToolResult | null;
    approval?: Approval | null;
  })[];
};

/** An answer that does not end its turn: it breaks the output schema, or an input joined after its request. */
export type AnswerRound = Omit<SavedRound, 'calls'>;

/** The work on a step that is now due: no run has taken it, and its wakeup was enqueued once. */
const FRESH_STEP = {
  ...{ generation: 0, leaseOwner: null, leased: false, starts: 0, attempts: 0 },
  ...{ rateLimited: false, retryAt: null, early: false, draft: 0, tierWait: null, background: null },
} satisfies Partial<Work>;

/** Returns the turn after its creation. */
export function predictQueuedTurn(
  { needsSlot, keyId: _, delaySeconds: __, completion: ___, ...turn }: NewTurn,
  { position, createdAt, continues, startAt, atHead, delayed, deadlineInMs, hasEndpoints }: QueuedTurn,
): Turn {
  return {
    ...turn,
    ...{ position, createdAt, continues, startAt },
    stored: turn.stored ?? true,
    trace: turn.trace ?? null,
    scheduleId: turn.scheduleId ?? null,
    warnings: turn.config.warnings ?? [],
    ...{ status: 'queued', hidden: false, lastEvent: 1, failedRequests: 0, inputsAtStart: null },
    ...{ adopted: [], rounds: [], compactions: [], joined: [], pendingInput: [] },
    ...{ output: null, error: null, incompleteReason: null, startedAt: null, completedAt: null },
    work: {
      ...{ ...FRESH_STEP, step: FIRST_STEP, atHead, delayed, uncontended: false, waitedMs: 0 },
      ...{ waitingSince: createdAt, model: turn.config.model, overdue: false, deadlineInMs, hasEndpoints },
      ...{ slot: needsSlot ? (atHead ? 'wanted' : 'none') : null, quotaFull: false },
    },
  };
}

/**
 * Returns the turn after the commit of a round, with its batch due. Null if a call waits, since its answer may be
 * saved already (R3).
 */
export function predictAfterRound(turn: Turn, saved: SavedRound): Turn | null {
  if (saved.calls.some(({ waitsFor }) => waitsFor !== null)) return null;
  const after = afterReply(turn, saved);
  return { ...after, work: { ...after.work, draft: saved.draft ?? 0 } };
}

/**
 * Returns the turn after the last `results` of a batch. Null if a call has no result or waited: then the worker must
 * load the turn (R3).
 */
export function predictAfterBatch(turn: Turn, results: ReadonlyMap<number, ToolResult>): Turn | null {
  const before = latestCalls(turn);
  const isKnown = ({ index, waitsFor, result }: ToolCall) => waitsFor === null && (result ?? results.get(index));
  if (!before.every(isKnown)) return null;
  const committedAt = new Date().toISOString();
  const calls = before.map((call) =>
    call.result ? call : { ...call, result: results.get(call.index) ?? null, completedAt: committedAt },
  );
  const events = before.filter(({ result }) => result === null).length;
  const round = turn.rounds.at(-1);
  return {
    ...begunTurn(turn, committedAt, { events }),
    ...(round ? { rounds: [...turn.rounds.slice(0, -1), { ...round, calls }] } : { adopted: calls }),
    work: workAfter(turn, committedAt),
  };
}

/**
 * Returns the started turn. The run loaded its turn before it took the lease, so `turn.started` of a first step is
 * missing there.
 */
function begunTurn(turn: Turn, committedAt: string, { events }: { events: number }): Turn {
  const { startedAt, lastEvent } = turn;
  const started = startedAt === null ? 1 : 0;
  return {
    ...turn,
    status: 'in_progress',
    startedAt: startedAt ?? committedAt,
    inputsAtStart: turn.inputsAtStart ?? turn.joined.length,
    lastEvent: lastEvent + started + events,
  };
}

/** Returns the work on a turn after a step, with the next step due. */
function workAfter({ work }: Turn, committedAt: string): Work {
  return { ...work, ...FRESH_STEP, step: stepAfter(work.step), uncontended: true, waitingSince: committedAt };
}

/** Returns the turn after a commit that also gave the lease of the next step to the run `runId` (R3). */
export function predictLeased(turn: Turn, runId: string): Turn {
  const { draft, starts } = turn.work;
  const lease = { leaseOwner: runId, leased: true, uncontended: false, starts: starts + 1, draft: draft + 1 };
  return { ...turn, work: { ...turn.work, ...lease } };
}

/** Returns the work on a turn as it was before the run took its current lease. */
export function beforeLease(work: Work): Work {
  const { draft, starts } = work;
  return { ...work, leaseOwner: null, leased: false, uncontended: false, starts: starts - 1, draft: draft - 1 };
}

/** Returns the turn after the commit of an answer that does not end it, with the next round due (R25, R30). */
export function predictAfterAnswer(turn: Turn, saved: AnswerRound): Turn {
  const after = afterReply(turn, { ...saved, calls: [] });
  return { ...after, work: { ...after.work, step: nameStep('round', saved.number + 1) } };
}

function afterReply(turn: Turn, saved: SavedRound): Turn {
  const committedAt = new Date().toISOString();
  return {
    ...begunTurn(turn, committedAt, { events: 1 }),
    warnings: saved.warnings,
    rounds: [...turn.rounds, roundOf(turn, saved, committedAt)],
    pendingInput: [],
    work: workAfter(turn, committedAt),
  };
}

function roundOf(
  { joined, pendingInput }: Turn,
  { number, model, reply, attempts, draft, startedAt, calls, violations = null }: SavedRound,
  completedAt: string,
): Round {
  const { text, finishReason, finishReasonRaw, usage, opaque = null, requests = 1 } = reply;
  const { reasoning = null, refusalFrom = null, serviceTier = null, hosted = null } = reply;
  return {
    ...{ number, model, text, finishReason, finishReasonRaw, usage, opaque, requests, attempts, completedAt },
    ...{ serviceTier, reasoning, refusalFrom, hosted, violations },
    draft: draft ?? 0,
    inputsSent: joined.length,
    input: pendingInput,
    startedAt: new Date(startedAt).toISOString(),
    calls: calls.map((call, index) => callOf(call, { round: number, index, completedAt })),
  };
}

/** Returns a call after its commit: open, unless it was handed over or has a recorded result. */
function callOf(
  { id, name, arguments: args, effect, approval = null, result = null }: SavedRound['calls'][number],
  { completedAt, ...position }: Pick<ToolCall, 'round' | 'index'> & { completedAt: string },
): ToolCall {
  return {
    ...{ ...position, id, name, arguments: args, effect, waitsFor: null, expiresAt: null, expired: false },
    ...{ approval, claimedBy: null, claimedAt: null, result, completedAt: result && completedAt },
  };
}

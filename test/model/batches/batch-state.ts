import type { Kept } from '../explore/plain-model.ts';

/** A turn with rounds by batch. `requests` are the ids in `work.background`. `isDue`: a job may take the turn. */
type BatchTurn = {
  status: 'active' | 'over';
  round: number;
  tier: 'batch' | 'default';
  requests: number[];
  isDue: boolean;
  isLate: boolean;
  /** The inputs that have joined the turn. */
  inputs: number;
  /** The run with the lease, or -1. */
  owner: number;
};

/** A run of a turn, with the columns that it has loaded. `isFresh`: the row still has the loaded generation. */
export type BatchRun = {
  at: 'idle' | 'loaded' | 'entering' | 'saving' | 'removing' | 'retrying' | 'undecided';
  turn: number;
  round: number;
  requests: number[];
  inputs: number;
  isFresh: boolean;
  isAsleep: boolean;
};

/** The answer to a request. `other`: a refusal that teaches the wire another form. */
export type Answer = 'ok' | 'failed' | 'other';

/** A row of `batch_requests`, with its answer in `batch_answers`. */
export type BatchRequest = {
  turn: number;
  row: 'waiting' | 'sent' | 'answered' | 'gone';
  batch: number;
  answer: Answer | 'none';
  /** The inputs that its round has loaded, and the inputs in its line. */
  inputs: number;
  sentInputs: number;
  /** How often its usage was recorded, in a round or as late usage. */
  records: number;
};

/** A row of `batches`. */
export type BatchRow = {
  at: 'open' | 'asked' | 'sent' | 'collected' | 'removed';
  /** The worker that took the row last, or -1. */
  owner: number;
  /** How often the batch was asked and refused, and the requests of the last time. Its key has the refusals. */
  asks: number;
  refusals: number;
  sent: number[];
  /** The number of batches at the provider when the batch was asked. Older batches are other batches. */
  from: number;
  /** Whether 60 s have passed since the request has timed out. */
  isOverdue: boolean;
  /** The provider's batch, or -1. */
  kept: number;
  isCancelled: boolean;
};

/**
 * A batch at the provider. `batch` is -1 for the batch of another program. `hidden`: no listing shows the batch yet.
 * `refused`: the provider has refused the batch after its creation.
 */
export type KeptBatch = {
  batch: number;
  refusals: number;
  requests: number[];
  size: number;
  at: 'hidden' | 'running' | 'ended' | 'refused' | 'deleted';
  answer: Answer;
};

/** The work of one worker on one row, from its take to its release. */
export type BatchWorker = {
  at:
    | ('idle' | 'took' | 'committed' | 'named' | 'refused' | 'too-large' | 'bad-line' | 'absent')
    | ('reading' | 'storing' | 'waking' | 'collecting' | 'erased');
  batch: number;
  ask: number;
  requests: number[];
  kept: number;
  next: number;
  /** Whether a line belongs to a request that no round awaited when the worker read it. */
  hasOver: boolean;
  /** Whether a run had the lease of the turn when the worker looked, before it stores the answer. */
  sawLease: boolean;
  isAsleep: boolean;
};

/** Turns, their runs, the rows of their requests, the workers of the batches, and the provider. */
export type BatchState = Kept & {
  turns: BatchTurn[];
  rounds: number;
  size: number;
  keepsKey: boolean;
  runs: BatchRun[];
  requests: BatchRequest[];
  batches: BatchRow[];
  workers: BatchWorker[];
  kept: KeptBatch[];
};

/** `isClaimed`: all turns wait from the beginning, in one batch. */
export type BatchSetting = {
  turns?: number;
  rounds?: number;
  runs?: number;
  size?: number;
  keyless?: boolean;
  isClaimed?: boolean;
};

export const IDLE_RUN: BatchRun = {
  ...{ at: 'idle', turn: -1, round: 0, requests: [], inputs: 0, isFresh: false, isAsleep: false },
};

export const IDLE_WORKER: BatchWorker = {
  ...{
    at: 'idle',
    batch: -1,
    ask: 0,
    requests: [],
    kept: -1,
    next: 0,
    hasOver: false,
    sawLease: false,
    isAsleep: false,
  },
};

const TURN: BatchTurn = {
  ...{ status: 'active', round: 1, tier: 'batch', requests: [], isDue: true, isLate: false, inputs: 0, owner: -1 },
};

/** A request that waits for a batch. */
export const NEW_REQUEST: Omit<BatchRequest, 'turn'> = {
  ...{ row: 'waiting', batch: -1, answer: 'none', inputs: 0, sentInputs: 0, records: 0 },
};

const NEW_BATCH: Omit<BatchRow, 'sent'> = {
  ...{ at: 'open', owner: -1, asks: 0, refusals: 0, from: 0, isOverdue: false, kept: -1, isCancelled: false },
};

/** Returns turns at their first round, with two workers. */
export function firstBatches(setting: BatchSetting): Omit<BatchState, keyof Kept> {
  const { turns = 1, rounds = 1, runs = 1, size = 2, keyless = false, isClaimed = false } = setting;
  const indexes = Array.from({ length: turns }, (_, turn) => turn);
  return {
    ...{ rounds, size, keepsKey: !keyless },
    turns: indexes.map((turn) => ({ ...TURN, requests: isClaimed ? [turn] : [], isDue: !isClaimed })),
    runs: Array.from({ length: runs }, () => ({ ...IDLE_RUN })),
    requests: isClaimed ? indexes.map((turn) => ({ ...NEW_REQUEST, turn, batch: 0 })) : [],
    batches: isClaimed ? [{ ...NEW_BATCH, sent: [] }] : [],
    workers: [{ ...IDLE_WORKER }, { ...IDLE_WORKER }],
    kept: [],
  };
}

/** Adds an open batch, and returns its number. */
export function addBatch({ batches }: BatchState): number {
  batches.push({ ...NEW_BATCH, sent: [] });
  return batches.length - 1;
}

/** Returns whether a round awaits the request: it is in `work.background` of an active turn. */
export function isAwaited({ turns, requests }: BatchState, id: number): boolean {
  const turn = turns[requests[id]?.turn ?? -1];
  return turn?.status === 'active' && turn.requests.includes(id);
}

/** Returns the ids of the requests with these fields. */
export function requestsWith({ requests }: BatchState, fields: Partial<BatchRequest>): number[] {
  const wanted = Object.entries(fields);
  return requests.flatMap((request, id) =>
    wanted.every(([name, value]) => request[name as keyof BatchRequest] === value) ? [id] : [],
  );
}

/** The API that created a batch. */
export type BatchApi = 'openai' | 'anthropic' | 'gemini';

/** The end of one request of a batch. The results omit a request that is `missing`. */
export type Outcome = { id: string } & (
  | { kind: 'answered'; status: number; body: unknown }
  | { kind: 'expired' | 'cancelled' | 'missing' }
);

/** A batch that the server keeps. Times are milliseconds since 1970. */
export type KeptBatch = {
  api: BatchApi;
  id: string;
  /** The owner of the batch: the key of its create. */
  account: string;
  model: string;
  /** The metadata of its create. Gemini keeps a `display_name`, and Anthropic keeps none. */
  metadata: Record<string, string>;
  /** The endpoint and the file of OpenAI. */
  source: { endpoint: string; file: string };
  createdAt: number;
  listedAt: number;
  /** Infinity for a batch without an end. */
  endsAt: number;
  cancelledAt: number | null;
  /** The ends of its requests, in the order of the requests. */
  outcomes: Outcome[];
  /** The errors of its validation. Such a batch fails as a whole. */
  errors: BatchError[];
  /** The files of its results, after OpenAI has ended it. */
  files: { output: string | null; error: string | null } | null;
  /** The whole reads of its results before a cut read, or null if no read is cut. */
  readsBeforeCut: number | null;
};

/** An error of OpenAI's validation. `line` counts from 1. */
export type BatchError = { code: string; line: number | null; message: string; param: string | null };

export function hasEnded({ endsAt }: KeptBatch): boolean {
  return endsAt <= Date.now();
}

/** Cancels the requests of a batch, unless it has ended. */
export function cancelBatch(batch: KeptBatch): void {
  if (hasEnded(batch)) return;
  const now = Date.now();
  Object.assign(batch, { cancelledAt: now, endsAt: now });
  batch.outcomes = batch.outcomes.map(({ id }) => ({ id, kind: 'cancelled' }));
}

/** Counts a read of results, and returns whether the read is cut. Only one read of a batch is cut. */
export function cutsRead(batch: KeptBatch): boolean {
  const { readsBeforeCut: left } = batch;
  if (left !== null) batch.readsBeforeCut = left === 0 ? null : left - 1;
  return left === 0;
}

/** Returns the outcomes in the order of the results: the same for each read, and never the order of the requests. */
export function resultsOf({ outcomes }: KeptBatch): Outcome[] {
  const first = outcomes.filter((_, index) => index % 2 === 1);
  const second = outcomes.filter((_, index) => index % 2 === 0);
  return [...first, ...second.reverse()].filter(({ kind }) => kind !== 'missing');
}

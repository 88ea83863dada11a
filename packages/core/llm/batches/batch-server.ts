import type { ProviderFailed } from '../../failure.ts';
import type { BatchAnswer } from '../../turn/batches/batch-answer.ts';
import type { OpenedReply, Refusal } from '../http/open-reply.ts';

/** One line of a batch's results. `id` is the id that Pawl gave to the request. */
export type BatchResult = { id: string; answer: BatchAnswer };

/** A batch that is about to be sent. `key` is kept by the server with the batch, if it keeps keys. */
export type NewBatch = { key: string; model: string };

/** One request of a batch: its id, and the body of the wire as a single request would have it. */
export type BatchLine = { id: string; body: object };

/**
 * The server's answer to a new batch.
 * - `sent`: `id` is the server's id of the batch. `files` are the ids of the files that Pawl has uploaded for it.
 * - `refused`: there is no batch.
 */
export type SentBatch = { kind: 'sent'; id: string; files: string[] } | RefusedBatch;

/**
 * The refusal of a whole batch. `isTooLarge`: fewer requests may be accepted. `badLine`: the only request that the
 * server names as the cause, with the refusal for its round.
 */
export type RefusedBatch = {
  kind: 'refused';
  failure: ProviderFailed;
  isTooLarge: boolean;
  badLine: { id: string; status: number; text: string } | null;
};

/**
 * A batch that may exist, since its answer was lost. `createdAt` is the time of its commit, and `ids` has all its
 * requests.
 */
export type UnconfirmedBatch = { key: string; model: string; createdAt: Date; ids: ReadonlySet<string> };

/** The result of a listing. `unsure`: a batch may be the lost batch, and only its results can show that. */
export type FoundBatch = { kind: 'found'; id: string } | { kind: 'missing' | 'unsure' };

/**
 * The state of a batch at its server. `lost`: the server has no such batch. `away`: no usable answer, ask later.
 * `refused`: the server has refused the whole batch after its creation, as a validation does.
 */
export type BatchState =
  | { kind: 'running' | 'lost' | 'away' }
  | { kind: 'ended'; files: string[] }
  | (RefusedBatch & { files: string[] });

/** The most requests, and the most bytes of all lines, that the server accepts in one batch. */
export type BatchLimits = { requests: number; bytes: number };

/**
 * The batch API of one server. Each function rejects if the server gives no usable answer (network, timeout, 5xx,
 * 429 of a read), and with the reason of the signal if that aborts.
 */
export type BatchServer = {
  /** The account at the server: a hash of its address and its key. Batches of one account share their limits. */
  account: string;
  limits: BatchLimits;
  /** Whether the server keeps the key of a batch. Otherwise only one batch of an account may be unconfirmed. */
  keepsKey: boolean;
  /** Returns the bytes of one line, without the fields of a single request, such as `stream`. */
  lineOf(line: BatchLine): Uint8Array;
  /**
   * Sends the lines as one batch, while they are read from `lines`. It calls `commit` after the last line, before the
   * request can create the batch: before the last byte of its body, or before the request. If `commit` rejects, no
   * batch exists, and `send` rejects with the same error. From `commit` on, a rejection leaves unknown whether the
   * batch exists.
   */
  send(
    batch: NewBatch,
    lines: AsyncIterable<Uint8Array>,
    by: { commit(): Promise<void>; signal: AbortSignal },
  ): Promise<SentBatch>;
  /** Looks for a batch by its key, or by its time, its size and the ids of its results. */
  find(batch: UnconfirmedBatch, signal: AbortSignal): Promise<FoundBatch>;
  state(id: string, signal: AbortSignal): Promise<BatchState>;
  /**
   * Reads the results of an ended batch, line by line. A cut file rejects after its whole lines. `order` has the ids
   * of all lines as they were sent, for results that have only their place.
   */
  results(id: string, signal: AbortSignal, order?: readonly string[]): AsyncIterable<BatchResult>;
  /** Asks the server to stop a batch. */
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Deletes a batch and its files. Returns whether the server does not have them any more, as far as it can. */
  remove(batch: { id: string; files: readonly string[] }, signal: AbortSignal): Promise<boolean>;
};

/**
 * Takes the place of an HTTP request of a round: gets the body that would be sent, and returns the answer. A round by
 * batch is rendered and read with the functions of its wire, request by request. `hasAnswers`: the first request of
 * the round has an answer already. `isLast`: a paused reply ends with the last answer, without a further request.
 */
export type Exchange = ((body: object) => Promise<OpenedReply | Refusal>) & { hasAnswers: boolean; isLast?: true };

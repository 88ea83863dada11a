import { getHeapStatistics } from 'node:v8';
import { ProviderFailed } from '#core/failure.ts';
import { makeShares, NO_SHARE, type Share, type Shares } from './shares.ts';

/** How much of their turns, histories and blobs the steps of a worker load. */
export type Memory = {
  /** Bytes of one turn, of one history, or of the blobs of one request. A turn with more fails. */
  most: number;
  /** Bytes that a step loads without a share. */
  small: number;
  /** Each waits for its share, and throws `MemoryBusy` if it waits for long. */
  takeTurn(bytes: number): Promise<Share>;
  takeHistory(bytes: number): Promise<Share>;
  takeBlobs(bytes: number): Promise<Share>;
};

/** A text is kept several times over until its request is sent: as a row, in the messages, in the body and as bytes. */
const PART_OF_HEAP = 16;

/** Small turns need no share, so all places of a worker may hold one. */
const SMALL_PART = 64;

/** After this time a step gives its place to another one, and waits in its queue. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Bounds what steps load, by `PAWL_HISTORY_LIMIT` or by the heap. All large turns together have as many bytes as one may have.
 * So have all large histories, and all blobs. A step takes these shares in this order, so no two steps wait for each other.
 */
export function makeMemory(limit: number | undefined, longestWaitMs = LONGEST_WAIT_MS): Memory {
  const most = limit ?? Math.floor(getHeapStatistics().heap_size_limit / PART_OF_HEAP);
  const small = Math.floor(most / SMALL_PART);
  const takeOf = (shares: Shares) => async (bytes: number) => {
    const share = bytes <= small ? NO_SHARE : await shares.take(bytes);
    if (!share) throw new MemoryBusy();
    return share;
  };
  return {
    ...{ most, small },
    takeTurn: takeOf(makeShares(most, longestWaitMs)),
    takeHistory: takeOf(makeShares(most, longestWaitMs)),
    takeBlobs: takeOf(makeShares(most, longestWaitMs)),
  };
}

/** Other steps of this worker have all the memory that there is for turns, histories or blobs. */
export class MemoryBusy extends Error {
  constructor() {
    super('step waits: other large histories fill the memory of this worker');
  }
}

/** A turn, or the history that it is asked with, is larger than a worker loads. */
export class HistoryTooLarge extends ProviderFailed {
  constructor(most: number) {
    const message =
      `The history of this turn has more than ${most.toLocaleString('en')} bytes, which is all that a worker loads. ` +
      'Have it shortened by `context`, start a new conversation, or raise `PAWL_HISTORY_LIMIT`.';
    super('context_length_exceeded', message, { retry: { kind: 'never' } });
  }
}

import { getHeapStatistics } from 'node:v8';
import { ProviderFailed } from '#core/failure.ts';
import { makeShares, NO_SHARE, type Share, type Shares } from './shares.ts';

/** The memory that the steps of a worker may use for turns, histories and blobs. */
export type Memory = {
  /** The maximum bytes of one turn, of one history, or of the blobs of one request. A turn with more fails. */
  most: number;
  /** The maximum bytes that a step loads without a share. */
  small: number;
  /** These functions wait for a share, and throw `MemoryBusy` after a long wait. */
  takeTurn(bytes: number): Promise<Share>;
  takeHistory(bytes: number): Promise<Share>;
  takeBlobs(bytes: number): Promise<Share>;
};

/**
 * The divisor of the heap. Until its request is sent, a text exists several times: as a row, in the messages, in the
 * body and as bytes.
 */
const PART_OF_HEAP = 16;

/** Small turns need no share, so each slot of a worker may have a small turn. */
const SMALL_PART = 64;

/** After this time a step releases its slot to another step, and waits in its queue. */
const LONGEST_WAIT_MS = 15_000;

/**
 * Bounds the memory of loaded turns, by `PAWL_HISTORY_LIMIT` or by the heap. All large turns together may have as
 * many bytes as one turn may have. The same applies to large histories, and to blobs. A step takes these shares in
 * this order, so no two steps wait for each other.
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

/** Other steps of this worker use all the memory for turns, histories or blobs. */
export class MemoryBusy extends Error {
  constructor() {
    super('step waits: other large histories fill the memory of this worker');
  }
}

/** A turn or its history is larger than a worker loads. */
export class HistoryTooLarge extends ProviderFailed {
  constructor(most: number) {
    const message =
      `The history of this turn exceeds ${most.toLocaleString('en')} bytes, the maximum that a worker loads. ` +
      'Shorten the history with `context`, start a new conversation, or raise `PAWL_HISTORY_LIMIT`.';
    super('context_length_exceeded', message, { retry: { kind: 'never' } });
  }
}

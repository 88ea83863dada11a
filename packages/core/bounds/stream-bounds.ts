import { getHeapStatistics } from 'node:v8';

/** Bounds on the messages that an API process keeps for clients of streams (docs/limits.md). */
export const STREAM_BOUNDS = {
  /**
   * Bytes of all messages that clients have not read yet. A message that several clients wait for counts once. Beyond it the
   * API closes the streams that have waited longest.
   */
  pendingBytes: getHeapStatistics().heap_size_limit / 16,
};

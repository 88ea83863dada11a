import { getHeapStatistics } from 'node:v8';

/** Bounds on the messages that an API process keeps for clients of streams. */
export type StreamBounds = {
  /**
   * Bytes of all messages that clients have not read yet. A message that several clients of a project wait for counts once.
   * Beyond it the API closes streams of the project that has the most bytes.
   */
  pendingBytes: number;
  /** Bytes among them of one project. Beyond it the API closes the streams of that project that have waited longest. */
  pendingBytesOfProject: number;
};

const PENDING_BYTES = getHeapStatistics().heap_size_limit / 16;

/** The bounds of a process (docs/limits.md). */
export const STREAM_BOUNDS: StreamBounds = {
  pendingBytes: PENDING_BYTES,
  pendingBytesOfProject: (PENDING_BYTES * 3) / 4,
};

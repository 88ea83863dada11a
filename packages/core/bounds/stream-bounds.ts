import { getHeapStatistics } from 'node:v8';

/** Bounds on the messages that an API process keeps for clients of streams. */
export type StreamBounds = {
  /** Bytes that clients have not read, each message once. Beyond it streams of the largest project close. */
  pendingBytes: number;
  /**
   * The part of these bytes for one project. Beyond it the API closes the streams of that project that have waited
   * longest.
   */
  pendingBytesOfProject: number;
};

const PENDING_BYTES = getHeapStatistics().heap_size_limit / 16;

/** The bounds of a process (docs/limits.md). */
export const STREAM_BOUNDS: StreamBounds = {
  pendingBytes: PENDING_BYTES,
  pendingBytesOfProject: (PENDING_BYTES * 3) / 4,
};

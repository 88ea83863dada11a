/** Bounds on the requests of one connection to the API (docs/limits.md). */
export const CONNECTION_BOUNDS = {
  /** Requests without a whole answer. */
  requests: 32,
  /** Chunks of a body, in addition to one for each `bytesPerChunk`. */
  chunks: 10_000,
  bytesPerChunk: 64,
  /** Bytes of a chunk that is passed on by itself. */
  joinedBytes: 4096,
  /** Milliseconds for which the rest of a request that has its answer is read and dropped. */
  unreadMs: 5_000,
};

/** Bounds on the requests of a connection to the API (docs/limits.md). */
export const CONNECTION_BOUNDS = {
  /** Requests without a whole answer. */
  requests: 32,
  /** Chunks of a body, in addition to a chunk for each `bytesPerChunk`. */
  chunks: 10_000,
  bytesPerChunk: 64,
  /** Bytes of a chunk that is passed on separately. */
  joinedBytes: 4096,
  /** Milliseconds for which the rest of an answered request is read and dropped. */
  unreadMs: 5_000,
};

/**
 * Bounds on the parts of an answer of an HTTP tool or a webhook receiver. The first also applies to answers of models
 * and MCP servers (docs/limits.md).
 */
export const ANSWER_BOUNDS = {
  /** Informational responses (1xx) before the answer. */
  informational: 1_000,
  /** Chunks of the body, in addition to a chunk for each `bytesPerChunk`. */
  chunks: 25_000,
  bytesPerChunk: 64,
  /** Chunks that are read before other work may run. */
  chunksAtOnce: 256,
};

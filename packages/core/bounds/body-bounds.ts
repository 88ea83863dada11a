import { getHeapStatistics } from 'node:v8';

const KIB = 1024;
const MIB = KIB * KIB;

/** Bounds on the body of a request, and on all bodies that a process reads at a time (docs/limits.md). */
export const BODY_BOUNDS = {
  /** Bytes of a body without its images, files and audio. */
  plainBytes: MIB,
  /** Bytes of a body that never waits for others. */
  smallBytes: 64 * KIB,
  /**
   * Bytes of all larger bodies that a process reads and checks at a time. Each body counts for at least
   * `leastCountedBytes`.
   */
  allBytes: getHeapStatistics().heap_size_limit / 16,
  leastCountedBytes: 256 * KIB,
  /** Bytes of a refused body that are read to the end and dropped, since clients that still send miss the answer. */
  droppedBytes: 64 * MIB,
  /** Parts of a multipart form, and bytes of the headers of a part. */
  formParts: 16,
  formHeaderBytes: 8 * KIB,
  depth: 64,
  values: 100_000,
  keys: 10_000,
};

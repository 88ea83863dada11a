/** Bounds on the cost of callers' JSON Schemas, on the event loop and in the processes beside it (docs/limits.md). */
export const SCHEMA_BOUNDS = {
  /** Characters of a schema that is compiled on the event loop, and of all new schemas of one request together. */
  lightLength: 8 * 1024,
  /** Characters of all patterns of such a schema: V8 compiles a pattern without a pause. */
  lightPatternLength: 1_000,
  /** Characters of a schema times characters of a value that a walk compares in about a millisecond. */
  lightProduct: 4_000_000,
  /** How long a check may block the event loop. Then another process begins the check again. */
  lightCheckMs: 20,
  /** Processes beside an API or a worker that compile and check. Only one process at a time works for a project. */
  processes: 2,
  processHeapMb: 192,
  /** CPU time of such a process, about ten times the time for a flat schema of 64 KiB. */
  compileCpuMs: 3_000,
  /** CPU time of a check. Each check that needs more halves it for that schema and project, for a minute. */
  checkCpuMs: 500,
  leastCheckCpuMs: 10,
};

const SAMPLE_EVERY_MS = 5;

/**
 * Measures, until disposed, the longest time in which this thread let nothing else run. It counts the thread's own CPU
 * time, so a busy machine adds nothing.
 */
export function watchStalls(): Disposable & { longestMs(): number } {
  let usedMs = watchUsedCpu();
  let longest = 0;
  const sample = () => {
    longest = Math.max(longest, usedMs());
    usedMs = watchUsedCpu();
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    longestMs: () => {
      sample();
      return longest;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** CPU milliseconds of this thread since the call, so that a busy machine fails no test. */
export function watchUsedCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

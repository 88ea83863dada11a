/**
 * Returns a function that returns the CPU milliseconds of this thread since the call, so a busy machine fails no
 * test.
 */
export function watchUsedCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

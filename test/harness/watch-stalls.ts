/**
 * Returns a function that gives the CPU milliseconds of this thread since the call. A busy machine fails no test so.
 */
export function watchUsedCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

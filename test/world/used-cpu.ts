/** Milliseconds this thread has worked since it was asked for, so that a busy machine fails no test. */
export function watchUsedCpu(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
}

const EVERY_MS = 100;

/** Measures ten times a second by how much a timer comes late, until it is stopped: while a process stalls, all its timers do. */
export function measureEventLoop(observe: (delayMs: number) => void): { stop(): void } {
  let expectedAt = performance.now() + EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    observe(now - expectedAt);
    expectedAt = now + EVERY_MS;
  }, EVERY_MS).unref();
  return { stop: () => clearInterval(timer) };
}

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Watches how long this process was kept from everything else at a time, until disposed. */
export function watchStalls(): Disposable & { longestMs(): number } {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return {
    longestMs: () => delay.max / 1e6,
    [Symbol.dispose]: () => void delay.disable(),
  };
}

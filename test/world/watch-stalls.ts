import { watchUsedCpu } from './used-cpu.ts';

const LOOK_EVERY_MS = 5;

/**
 * Watches how long this thread worked at a time without letting anything else run, until disposed. Counts its own work
 * only: a busy machine, which lets it wait, adds nothing.
 */
export function watchStalls(): Disposable & { longestMs(): number } {
  let usedMs = watchUsedCpu();
  let longest = 0;
  const look = () => {
    longest = Math.max(longest, usedMs());
    usedMs = watchUsedCpu();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    longestMs: () => {
      look();
      return longest;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

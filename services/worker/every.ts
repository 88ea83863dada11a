import { isPassing } from '#core/checkpoint/persist.ts';
import type { WorkerContext } from './context.ts';

type Surroundings = Pick<WorkerContext, 'log' | 'availability'>;

/**
 * Does something again and again, `everyMs` after it was done. A failure is logged and the next time comes; a database
 * that is away is left to the availability, which logs it once.
 */
export function every(
  everyMs: number,
  routine: () => Promise<unknown>,
  { log, availability }: Surroundings,
): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(turn, everyMs);
  let isStopped = false;
  let told: string | null = null;

  function turn(): void {
    running = routine()
      .then(() => {
        told = null;
      })
      .catch((error: unknown) => {
        availability.suspect(error);
        // The same trouble is told once, not at each try.
        if (!isPassing(error) && told !== String(error))
          log.warn({ err: error }, 'a routine failed and is tried again');
        told = String(error);
      })
      .then(() => {
        if (!isStopped) timer = setTimeout(turn, everyMs);
      });
  }

  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
}

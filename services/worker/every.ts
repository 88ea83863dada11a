import type { Log } from '../log.ts';

/** Does something again and again, `everyMs` after it was done; a failure is logged and the next time comes. */
export function every(everyMs: number, routine: () => Promise<unknown>, log: Log): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(turn, everyMs);
  let isStopped = false;

  function turn(): void {
    running = routine()
      .catch((error: unknown) => log.warn({ err: error }, 'a routine failed and will be tried again'))
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

import type { Turn } from '#core/turn/turn.ts';
import type { Watching } from './watch-turn.ts';

export type IsEnough = (turn: Turn) => boolean;
export type Patience = { timeoutMs: number; signal?: AbortSignal };

/** Waits until a turn, read after the wait began, is enough; undefined when patience, the caller or the process ends. */
export async function waitForTurn(
  watching: Watching,
  isEnough: IsEnough,
  { timeoutMs, signal }: Patience,
): Promise<Turn | undefined> {
  const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
  const giveUp = () => resolve(undefined);
  const leave = watching.addWaiter({ hear: (turn) => isEnough(turn) && resolve(turn), end: giveUp });
  const timer = setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', giveUp);
    clearTimeout(timer);
    leave();
  }
}

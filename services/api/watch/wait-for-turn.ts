import type { Turn } from '#core/turn/turn.ts';
import type { Watching } from './watch-turn.ts';

export type IsEnough = (turn: Turn) => boolean;
/** `forRest`: it is only waited for the turn to end, or to wait for somebody. */
export type Patience = { timeoutMs: number; forRest?: boolean; signal?: AbortSignal };

/** Waits until a turn, read after the wait began, is enough; undefined when patience, the caller or the process ends. */
export async function waitForTurn(
  watching: Watching,
  isEnough: IsEnough,
  { timeoutMs, forRest = false, signal }: Patience,
): Promise<Turn | undefined> {
  const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
  const giveUp = () => resolve(undefined);
  const leave = watching.addWaiter({ forRest, hear: (turn) => isEnough(turn) && resolve(turn), end: giveUp });
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

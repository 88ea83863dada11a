import type { State } from './state.ts';

/** Marks a state in which something happened that must never happen. Only the first one is kept. */
export function breakPromise(state: State, promise: string): void {
  state.broken ??= promise;
}

import type { State } from './state.ts';

/** Marks a state that breaks a promise. Only the first broken promise is kept. */
export function breakPromise(state: State, promise: string): void {
  state.broken ??= promise;
}

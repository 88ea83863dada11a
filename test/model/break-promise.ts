import type { State } from './state.ts';

/** Marks a state in which something happened that must never happen. The first such thing is told. */
export function breakPromise(state: State, promise: string): void {
  state.broken ??= promise;
}

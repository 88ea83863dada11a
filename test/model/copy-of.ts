import type { State } from './state.ts';

/** A state to be changed without changing this one. What is only ever replaced as a whole is shared. */
export function copyOf({ turn, next, deliveries, queue, api, runs, facts, used, broken }: State): State {
  return {
    turn: { ...turn },
    next: { ...next },
    deliveries: { failed: { ...deliveries.failed }, ended: { ...deliveries.ended } },
    queue: { ...queue },
    api,
    runs: [{ ...runs[0] }, { ...runs[1] }],
    facts: { ...facts },
    used,
    broken,
  };
}

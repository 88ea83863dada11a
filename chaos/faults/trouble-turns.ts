import type { Fault } from './proof.ts';

/** A trouble that comes with turns: whether it fired shows in what their model was asked, once the run is over. */
export const troubleTurns: Fault = async () => ({ fired: null, endedAt: Date.now(), scope: 'none' });

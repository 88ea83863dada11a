/** What may go wrong, see `fault.ts`, or come: `skew`: a worker's clock is ahead; `create`: a turn is asked for meanwhile. */
export type DelayFault = 'flush' | 'skew' | 'create';

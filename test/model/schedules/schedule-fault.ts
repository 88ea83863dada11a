/** What may go wrong, see `fault.ts`, or come: `skew`: a worker's clock is ahead; `change`: the turn of the schedule is another. */
export type ScheduleFault = 'crash' | 'skew' | 'change';

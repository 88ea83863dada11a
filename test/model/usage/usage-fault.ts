/** What may go wrong: see `fault.ts`. */
export type UsageFault = 'crash' | 'lostAck';

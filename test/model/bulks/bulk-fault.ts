/**
 * What may go wrong: see `fault.ts`. `stall`: a lease passes while its worker goes on; `create`: a turn comes that would match;
 * `fail`: a turn cannot be treated.
 */
export type BulkFault = 'crash' | 'stall' | 'create' | 'fail';

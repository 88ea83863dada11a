/**
 * The faults of a run, see `fault.ts`, and of its beliefs: an endpoint is enabled or disabled. `failover`: Postgres
 * loses the commit of a reply.
 */
export type LeanFault = 'crash' | 'lostAck' | 'enable' | 'disable' | 'failover';

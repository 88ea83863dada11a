/** A queue of jobs; `provider` is null where it is no provider's own. */
export type QueueResource = {
  name: string;
  object: 'queue';
  provider: string | null;
  waiting: number;
  active: number;
  rate_limited_until: string | null;
};

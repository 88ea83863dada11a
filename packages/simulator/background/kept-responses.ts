import type { ResponseRequest } from './response-request.ts';
import { makeResponseStore, type ResponseLimits } from './response-store.ts';

/** The requests of the Responses wire by kind. `creates` are the readable requests for a response. */
type ResponseCounts = { creates: number; reads: number; streams: number; cancels: number; deletes: number };

/** The responses that a simulator keeps, for tests. */
export type KeptResponses = {
  limits: ResponseLimits;
  counts: ResponseCounts;
  /** Returns the responses that are still kept, the oldest first. */
  list(): { id: string; status: string; createdBy: string | null }[];
  /** Loses a response: its streams break, and each later request about it gets 404. */
  lose(id: string): void;
  /** Ends the present delay of a production: `queued_ms`, or `think_ms`, `pace_ms` and `pause_ms` before an event. */
  skipDelay(id: string): void;
};

/** Opens the kept responses, with the store that the server uses. */
export function openKeptResponses(limits: Partial<ResponseLimits> = {}) {
  const store = makeResponseStore(limits);
  const counts: ResponseCounts = { creates: 0, reads: 0, streams: 0, cancels: 0, deletes: 0 };
  const responses: KeptResponses = {
    limits: store.limits,
    counts,
    list: () => store.list().map(({ id, state, createdBy }) => ({ id, status: state.status, createdBy })),
    lose: store.lose,
    skipDelay: (id) => store.find(id)?.waits.skip(),
  };
  return {
    responses,
    store,
    count: (kind: 'create' | ResponseRequest['kind']) => {
      counts[`${kind}s`] += 1;
    },
    /** Stops all productions. */
    stop: () => {
      for (const { id } of store.list()) store.lose(id);
    },
  };
}

import { type KeptResponse, loseResponse } from './kept-response.ts';

/** The limits under which the server keeps responses. A test may change them at any time. */
export type ResponseLimits = {
  /** The age from which a stream is refused. */
  streamWindowMs: number;
  /** The time for which a background response with `store: false` is kept after its end. */
  unstoredMs: number;
  /** The value of the header `openai-poll-after-ms`, or null for no header. */
  pollAfterMs: number | null;
  /** The most responses that are kept. Beyond that the oldest is deleted, and ended responses before others. */
  maxKept: number;
};

const RESPONSE_LIMITS: ResponseLimits = {
  streamWindowMs: 5 * 60_000,
  unstoredMs: 10 * 60_000,
  pollAfterMs: null,
  maxKept: 1_000,
};

export type ResponseStore = {
  limits: ResponseLimits;
  keep(response: KeptResponse): void;
  find(id: string): KeptResponse | null;
  list(): KeptResponse[];
  /** Deletes a response, stops its production and breaks its streams. */
  lose(id: string): void;
};

export function makeResponseStore(given: Partial<ResponseLimits> = {}): ResponseStore {
  const limits = { ...RESPONSE_LIMITS, ...given };
  const kept = new Map<string, KeptResponse>();

  function lose(id: string): void {
    const response = kept.get(id);
    kept.delete(id);
    if (response) loseResponse(response);
  }
  function makeRoom(): void {
    while (kept.size > limits.maxKept) {
      const [oldest] = kept.values();
      const ended = kept.values().find(({ endedAt }) => endedAt !== null);
      lose((ended ?? oldest)?.id ?? '');
    }
  }

  return {
    limits,
    keep(response) {
      kept.set(response.id, response);
      makeRoom();
    },
    find(id) {
      const response = kept.get(id);
      if (!response) return null;
      if (!isExpired(response, limits)) return response;
      lose(id);
      return null;
    },
    list: () =>
      kept
        .values()
        .filter((response) => !isExpired(response, limits))
        .toArray(),
    lose,
  };
}

function isExpired({ isStored, endedAt }: KeptResponse, { unstoredMs }: ResponseLimits): boolean {
  return !isStored && endedAt !== null && Date.now() - endedAt >= unstoredMs;
}

import type { Parked } from '#core/checkpoint/rescue-turns.ts';

const SHORTEST_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/** Which providers asked everybody to wait, and until when, by this process's clock. */
export type Parking = {
  /** Notes a 429; answers how long the provider is left alone: what it asked for, else doubling until a call succeeds. */
  park(provider: string, askedMs: number | undefined): number;
  /** Notes that another worker was told to wait. */
  hear(provider: string, forMs: number): void;
  /** Milliseconds until the provider may be asked again; 0 when it may be now. */
  waitMs(provider: string): number;
  /** The providers that may not be asked now. */
  parked(): Parked[];
  /** A call came through: the next pause starts small again. */
  succeeded(provider: string): void;
};

/** Keeps the pauses of all providers. Lost with the process, which costs one refused call. */
export function makeParking(): Parking {
  const until = new Map<string, number>();
  const pauses = new Map<string, number>();
  const hear = (provider: string, forMs: number) =>
    void until.set(provider, Math.max(until.get(provider) ?? 0, performance.now() + forMs));

  const waitMs = (provider: string) => Math.max(0, Math.ceil((until.get(provider) ?? 0) - performance.now()));

  return {
    hear,
    park: (provider, askedMs) => {
      const doubled = Math.min(pauses.get(provider) ?? FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
      if (!askedMs) pauses.set(provider, doubled * 2);
      const pauseMs = askedMs ? Math.max(askedMs, SHORTEST_PAUSE_MS) : doubled;
      hear(provider, pauseMs);
      return pauseMs;
    },
    waitMs,
    parked: () =>
      [...until.keys()].map((provider) => ({ provider, forMs: waitMs(provider) })).filter(({ forMs }) => forMs > 0),
    succeeded: (provider) => void pauses.delete(provider),
  };
}

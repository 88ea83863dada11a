/** The places of this worker that each receiver has: one that hangs cannot take them all. */
export type ReceiverPlaces = {
  /** A place for an attempt, until disposed; null where the receiver has its share and does not get on. */
  enter(url: string): Promise<Disposable | null>;
};

/** A receiver that gets on has a place free by then. */
const PATIENCE_MS = 1_000;

/** Shares out a worker's places: half of them to one receiver at the most. A receiver is a host with its port. */
export function makeReceiverPlaces(concurrency: number, patienceMs = PATIENCE_MS): ReceiverPlaces {
  const share = Math.max(1, Math.floor(concurrency / 2));
  const receivers = new Map<string, Receiver>();

  function take(host: string, receiver: Receiver): Disposable {
    const attempt = { startedAt: performance.now() };
    receiver.attempts.add(attempt);
    return { [Symbol.dispose]: () => leave(attempt, host, receiver) };
  }
  function leave(attempt: Attempt, host: string, receiver: Receiver): void {
    receiver.attempts.delete(attempt);
    const next = receiver.waiting.values().next().value;
    if (next) next(take(host, receiver));
    else if (receiver.attempts.size === 0) receivers.delete(host);
  }

  return {
    enter: async (url) => {
      const { host } = new URL(url);
      const receiver = receivers.get(host) ?? { attempts: new Set(), waiting: new Set() };
      receivers.set(host, receiver);
      if (receiver.attempts.size < share) return take(host, receiver);
      return hangs(receiver, patienceMs) ? null : waitForPlace(receiver, patienceMs);
    },
  };
}

type Attempt = { startedAt: number };

/** Both sets are in the order of time: the first attempt is the oldest. */
type Receiver = { attempts: Set<Attempt>; waiting: Set<(place: Disposable) => void> };

function hangs({ attempts }: Receiver, patienceMs: number): boolean {
  const [oldest] = attempts;
  return oldest !== undefined && performance.now() - oldest.startedAt > patienceMs;
}

function waitForPlace({ waiting }: Receiver, patienceMs: number): Promise<Disposable | null> {
  return new Promise((resolve) => {
    const leave = () => {
      waiting.delete(accept);
      clearTimeout(timer);
    };
    const accept = (place: Disposable) => {
      leave();
      resolve(place);
    };
    const timer = setTimeout(() => {
      leave();
      resolve(null);
    }, patienceMs);
    waiting.add(accept);
  });
}

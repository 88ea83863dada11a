/** Shares out the slots of a worker among the receivers of webhooks: one that hangs cannot take them all. */
export type HostLimiter = {
  /** A slot for an attempt, until disposed; null where the receiver has its share and makes no progress. */
  acquire(url: string): Promise<Disposable | null>;
};

/** A receiver that makes progress has a slot free by then. */
const ACQUIRE_TIMEOUT_MS = 1_000;

/** Gives one receiver half of the slots at most. A receiver is a host with its port. */
export function makeHostLimiter(concurrency: number, timeoutMs = ACQUIRE_TIMEOUT_MS): HostLimiter {
  const share = Math.max(1, Math.floor(concurrency / 2));
  const receivers = new Map<string, Host>();

  function take(host: string, receiver: Host): Disposable {
    const attempt = { startedAt: performance.now() };
    receiver.attempts.add(attempt);
    return { [Symbol.dispose]: () => leave(attempt, host, receiver) };
  }
  function leave(attempt: Attempt, host: string, receiver: Host): void {
    receiver.attempts.delete(attempt);
    const next = receiver.waiting.values().next().value;
    if (next) next(take(host, receiver));
    else if (receiver.attempts.size === 0) receivers.delete(host);
  }

  return {
    acquire: async (url) => {
      const { host } = new URL(url);
      const receiver = receivers.get(host) ?? { attempts: new Set(), waiting: new Set() };
      receivers.set(host, receiver);
      if (receiver.attempts.size < share) return take(host, receiver);
      return hangs(receiver, timeoutMs) ? null : waitForSlot(receiver, timeoutMs);
    },
  };
}

type Attempt = { startedAt: number };

/** Both sets are in the order of time: the first attempt is the oldest. */
type Host = { attempts: Set<Attempt>; waiting: Set<(slot: Disposable) => void> };

function hangs({ attempts }: Host, timeoutMs: number): boolean {
  const [oldest] = attempts;
  return oldest !== undefined && performance.now() - oldest.startedAt > timeoutMs;
}

function waitForSlot({ waiting }: Host, timeoutMs: number): Promise<Disposable | null> {
  return new Promise((resolve) => {
    const leave = () => {
      waiting.delete(accept);
      clearTimeout(timer);
    };
    const accept = (slot: Disposable) => {
      leave();
      resolve(slot);
    };
    const timer = setTimeout(() => {
      leave();
      resolve(null);
    }, timeoutMs);
    waiting.add(accept);
  });
}

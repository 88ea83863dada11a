/** Shares out the slots of a worker among those who use them: one whose attempts hang cannot take them all. */
export type SlotLimiter = {
  /** A slot for an attempt, until disposed; null where the user has its share and makes no progress. */
  acquire(user: string): Promise<Disposable | null>;
};

/** One that makes progress has a slot free by then. */
const ACQUIRE_TIMEOUT_MS = 1_000;

/** Gives one user so many slots at most. */
export function makeSlotLimiter(share: number, timeoutMs = ACQUIRE_TIMEOUT_MS): SlotLimiter {
  const users = new Map<string, SlotUser>();

  function take(name: string, user: SlotUser): Disposable {
    const attempt = { startedAt: performance.now() };
    user.attempts.add(attempt);
    return { [Symbol.dispose]: () => leave(attempt, name, user) };
  }
  function leave(attempt: Attempt, name: string, user: SlotUser): void {
    user.attempts.delete(attempt);
    const next = user.waiting.values().next().value;
    if (next) next(take(name, user));
    else if (user.attempts.size === 0) users.delete(name);
  }

  return {
    acquire: async (name) => {
      const user = users.get(name) ?? { attempts: new Set(), waiting: new Set() };
      users.set(name, user);
      if (user.attempts.size < share) return take(name, user);
      return hangs(user, timeoutMs) ? null : waitForSlot(user, timeoutMs);
    },
  };
}

type Attempt = { startedAt: number };

/** Both sets are in the order of time: the first attempt is the oldest. */
type SlotUser = { attempts: Set<Attempt>; waiting: Set<(slot: Disposable) => void> };

function hangs({ attempts }: SlotUser, timeoutMs: number): boolean {
  const [oldest] = attempts;
  return oldest !== undefined && performance.now() - oldest.startedAt > timeoutMs;
}

function waitForSlot({ waiting }: SlotUser, timeoutMs: number): Promise<Disposable | null> {
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

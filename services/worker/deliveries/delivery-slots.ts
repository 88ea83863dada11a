import type { DeliveryRoom, DueDelivery } from '#core/checkpoint/webhooks/take-deliveries.ts';
import type { Project } from '#core/project.ts';

/** Attempts at once of a receiver that has not answered yet. Each answer allows one more, up to half of the slots. */
const FIRST_WINDOW = 4;

/** An attempt that lasts longer leaves its slot to others. */
const SLOW_MS = 500;

/** Attempts that may have left their slots, for each slot; beyond that they keep them. */
const SLOW_PER_SLOT = 4;

/** The slots of a worker for attempts at deliveries: which are free, and who may have them. */
export type DeliverySlots = {
  /** What may be taken now; several `configured` projects leave each other a quarter. */
  room(configured: Weighed[]): DeliveryRoom;
  /** Begins an attempt. The returned function ends it, and says whether the receiver has answered. */
  enter(delivery: Pick<DueDelivery, 'project' | 'receiver'>): (hasAnswered: boolean) => void;
};

type Weighed = Pick<Project, 'name' | 'weight'>;
type Receiver = { project: string; receiver: string; busy: number; window: number };
type Attempt = { of: Receiver; startedAt: number };

/** Makes the slots of a worker. A receiver that hangs has its own few attempts, and keeps no slot from another. */
export function makeDeliverySlots(concurrency: number): DeliverySlots {
  const most = Math.max(1, Math.floor(concurrency / 2));
  const first = Math.min(FIRST_WINDOW, most);
  const receivers = new Map<string, Receiver>();
  const attempts = new Set<Attempt>();

  function free(): number {
    return Math.min(concurrency - youngOf(attempts).length, (1 + SLOW_PER_SLOT) * concurrency - attempts.size);
  }
  function leave(attempt: Attempt, hasAnswered: boolean): void {
    const { of } = attempt;
    attempts.delete(attempt);
    of.busy -= 1;
    of.window = hasAnswered ? Math.min(most, of.window + 1) : first;
    if (of.busy === 0) receivers.delete(keyOf(of));
  }

  return {
    room: (configured) => {
      const share = configured.length > 1 ? 0.75 : 1;
      const shares = { young: share * concurrency, all: share * (1 + SLOW_PER_SLOT) * concurrency };
      return {
        free: free(),
        projects: projectsOf([...attempts], configured, shares),
        receivers: [...receivers.values()].map(({ window, ...one }) => ({ ...one, room: window - one.busy })),
        unknown: { project: Math.max(1, Math.floor(shares.young)), receiver: first },
      };
    },
    enter: (delivery) => {
      const key = keyOf(delivery);
      const of = receivers.get(key) ?? {
        project: delivery.project,
        receiver: delivery.receiver,
        busy: 0,
        window: first,
      };
      receivers.set(key, of);
      of.busy += 1;
      const attempt = { of, startedAt: performance.now() };
      attempts.add(attempt);
      return (hasAnswered) => leave(attempt, hasAnswered);
    },
  };
}

function keyOf({ project, receiver }: Pick<DueDelivery, 'project' | 'receiver'>): string {
  return JSON.stringify([project, receiver]);
}

function youngOf(attempts: Iterable<Attempt>): Attempt[] {
  const since = performance.now() - SLOW_MS;
  return [...attempts].filter(({ startedAt }) => startedAt > since);
}

/** The projects that have attempts, or another weight than 1. */
function projectsOf(
  attempts: Attempt[],
  configured: Weighed[],
  shares: { young: number; all: number },
): DeliveryRoom['projects'] {
  const weights = new Map(configured.map(({ name, weight }) => [name, weight]));
  const weighted = configured.flatMap(({ name, weight }) => (weight === 1 ? [] : [name]));
  const names = new Set([...attempts.map(({ of }) => of.project), ...weighted]);
  return [...names].map((project) => {
    const own = attempts.filter(({ of }) => of.project === project);
    const busy = youngOf(own).length;
    const room = Math.max(1, Math.floor(shares.young)) - busy;
    return {
      project,
      weight: weights.get(project) ?? 1,
      busy,
      room: Math.min(room, Math.floor(shares.all) - own.length),
    };
  });
}

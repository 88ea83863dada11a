import { DELIVERY_BOUNDS } from '#core/bounds/delivery-bounds.ts';
import type { DeliveryRoom, DueDelivery } from '#core/checkpoint/webhooks/take-deliveries.ts';
import type { Project } from '#core/project.ts';

/** The slots of a worker for attempts at deliveries: which are free, and who may have them. */
export type DeliverySlots = {
  /** Returns how many deliveries may be taken now. Several `configured` projects leave each other a quarter. */
  room(configured: Weighed[]): DeliveryRoom;
  /** Begins an attempt. The returned function ends it, and says whether the receiver has answered. */
  enter(delivery: Named & Pick<DueDelivery, 'url' | 'endpoint'>): (hasAnswered: boolean) => void;
};

type Weighed = Pick<Project, 'name' | 'weight'>;
type Named = Pick<DueDelivery, 'project' | 'receiver'>;
type Receiver = Named & { busy: number; window: number };
/** `url` is that of a turn's own webhook, null for an endpoint. */
type Attempt = { of: Receiver; url: string | null; startedAt: number };

/**
 * Makes the slots of a worker. A receiver that hangs has its own few attempts. However many receivers of a project hang,
 * a quarter of the project's slots is left to its receivers that have answered.
 */
export function makeDeliverySlots(concurrency: number): DeliverySlots {
  const most = Math.max(1, Math.floor(concurrency / 2));
  const first = Math.min(DELIVERY_BOUNDS.firstWindow, most);
  const whole = { young: concurrency, all: (1 + DELIVERY_BOUNDS.slowPerSlot) * concurrency };
  const receivers = new Map<string, Receiver>();
  const attempts = new Set<Attempt>();
  const answered = rememberReceivers();

  function leave(attempt: Attempt, hasAnswered: boolean): void {
    const { of } = attempt;
    attempts.delete(attempt);
    of.busy -= 1;
    of.window = hasAnswered ? Math.min(most, of.window + 1) : first;
    answered.note(of, hasAnswered);
    if (of.busy === 0) receivers.delete(keyOf(of));
  }

  return {
    room: (configured) => {
      const share = shareOf(whole, configured.length > 1 ? DELIVERY_BOUNDS.projectShare : 1);
      const hanging = new Set([...attempts].filter(isSlow).map(({ of }) => keyOf(of)));
      const isAnswering = (of: Named) => answered.has(of) && !hanging.has(keyOf(of));
      const projects = projectsOf([...attempts], { configured, share, isAnswering });
      return {
        free: leastRoom(whole, [...attempts]),
        projects,
        receivers: receiversOf([...receivers.values()], [...attempts]),
        hanging: hangingUrls([...attempts]),
        answering: namedOf(projects, () => answered.all().filter(isAnswering)),
        unknown: { project: shareOf(share, DELIVERY_BOUNDS.doubtfulShare).young, receiver: first },
      };
    },
    enter: ({ project, receiver, url, endpoint }) => {
      const key = keyOf({ project, receiver });
      const of = receivers.get(key) ?? { project, receiver, busy: 0, window: first };
      receivers.set(key, of);
      of.busy += 1;
      const attempt = { of, url: endpoint === null ? url : null, startedAt: performance.now() };
      attempts.add(attempt);
      return (hasAnswered) => leave(attempt, hasAnswered);
    },
  };
}

/** The receivers that answered their last attempt, the last to answer first. */
function rememberReceivers() {
  const receivers = new Map<string, Named>();
  return {
    has: (of: Named) => receivers.has(keyOf(of)),
    all: () => [...receivers.values()].reverse(),
    note: ({ project, receiver }: Named, hasAnswered: boolean) => {
      const key = keyOf({ project, receiver });
      receivers.delete(key);
      if (hasAnswered) receivers.set(key, { project, receiver });
      for (const oldest of receivers.keys()) {
        if (receivers.size <= DELIVERY_BOUNDS.rememberedReceivers) return;
        receivers.delete(oldest);
      }
    },
  };
}

function keyOf({ project, receiver }: Named): string {
  return JSON.stringify([project, receiver]);
}

function isSlow({ startedAt }: Attempt): boolean {
  return performance.now() - startedAt >= DELIVERY_BOUNDS.slowMs;
}

/** Attempts that keep their slots, and attempts with those that have left their slots. */
type Share = { young: number; all: number };

function shareOf({ young, all }: Share, part: number): Share {
  return { young: Math.max(1, Math.floor(part * young)), all: Math.max(1, Math.floor(part * all)) };
}

/** How many more attempts a share has room for. */
function leastRoom({ young, all }: Share, attempts: Attempt[]): number {
  const slow = attempts.filter(isSlow).length;
  return Math.min(young - (attempts.length - slow), all - attempts.length);
}

/** The room of each receiver. Some slow attempts at URLs of a host leave its window to its other URLs. */
function receiversOf(receivers: Receiver[], attempts: Attempt[]): DeliveryRoom['receivers'] {
  const slow = attempts.filter((attempt) => attempt.url !== null && isSlow(attempt));
  return receivers.map((of) => {
    const { project, receiver, busy, window } = of;
    const left = Math.min(DELIVERY_BOUNDS.slowOfHost, slow.filter((attempt) => attempt.of === of).length);
    return { project, receiver, busy, room: window - (busy - left) };
  });
}

/** The URLs of turns that hang and have as many attempts as a receiver that has not answered. */
function hangingUrls(attempts: Attempt[]): DeliveryRoom['hanging'] {
  const urls = new Map<string, { project: string; receiver: string; url: string; busy: number; hangs: boolean }>();
  for (const attempt of attempts) {
    const { url } = attempt;
    if (url === null) continue;
    const { project, receiver } = attempt.of;
    const key = JSON.stringify([project, url]);
    const { busy, hangs } = urls.get(key) ?? { busy: 0, hangs: false };
    urls.set(key, { project, receiver, url, busy: busy + 1, hangs: hangs || isSlow(attempt) });
  }
  return [...urls.values()].filter(({ busy, hangs }) => hangs && busy >= DELIVERY_BOUNDS.firstWindow);
}

/** The projects that have attempts, or another weight than 1. */
function projectsOf(
  attempts: Attempt[],
  about: { configured: Weighed[]; share: Share; isAnswering: (of: Receiver) => boolean },
): DeliveryRoom['projects'] {
  const { configured, share, isAnswering } = about;
  const weights = new Map(configured.map(({ name, weight }) => [name, weight]));
  const weighted = configured.flatMap(({ name, weight }) => (weight === 1 ? [] : [name]));
  const names = new Set([...attempts.map(({ of }) => of.project), ...weighted]);
  return [...names].map((project) => {
    const own = attempts.filter(({ of }) => of.project === project);
    const doubtful = own.filter(({ of }) => !isAnswering(of));
    const doubtfulShare = shareOf(share, DELIVERY_BOUNDS.doubtfulShare);
    const [room, doubtfulRoom] = [leastRoom(share, own), leastRoom(doubtfulShare, doubtful)];
    return {
      ...{ project, weight: weights.get(project) ?? 1 },
      busy: own.filter((attempt) => !isSlow(attempt)).length,
      room: isCrowded(doubtfulShare, doubtful) ? room : Math.min(room, doubtfulRoom),
      doubtfulRoom: Math.min(room, doubtfulRoom),
    };
  });
}

/** Whether half of a share is taken. Until then the receivers that answer are not told from the others. */
function isCrowded({ young, all }: Share, attempts: Attempt[]): boolean {
  return leastRoom({ young: young / 2, all: all / 2 }, attempts) <= 0;
}

/** Of the receivers that answer, those of projects with less room for all others. The last to answer come first. */
function namedOf(projects: DeliveryRoom['projects'], answering: () => Named[]): Named[] {
  const limited = projects.filter(({ room, doubtfulRoom }) => doubtfulRoom < room);
  if (limited.length === 0) return [];
  const receivers = answering();
  return limited.flatMap(({ project }) =>
    receivers.filter((receiver) => receiver.project === project).slice(0, DELIVERY_BOUNDS.namedReceivers),
  );
}

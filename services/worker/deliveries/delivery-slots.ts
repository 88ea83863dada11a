import { DELIVERY_BOUNDS } from '#core/bounds/delivery-bounds.ts';
import type { DeliveryRoom, DueDelivery } from '#core/checkpoint/webhooks/take-deliveries.ts';
import type { Project } from '#core/project.ts';
import { makeKnownReceivers, type ReceiverName, receiverKey } from './known-receivers.ts';

/** The slots of a worker for attempts at deliveries, and their division among projects and receivers. */
export type DeliverySlots = {
  /** Returns how many deliveries may be taken now. Several `configured` projects leave each other a quarter. */
  room(configured: Weighed[]): DeliveryRoom;
  /** Begins an attempt. The returned function ends it, and says whether the receiver has answered. */
  enter(delivery: ReceiverName & Pick<DueDelivery, 'url' | 'endpoint' | 'isFirst'>): (hasAnswered: boolean) => void;
};

type Weighed = Pick<Project, 'name' | 'weight'>;
type Receiver = ReceiverName & { busy: number; window: number };
/** `url` is the URL of a turn's own webhook, or null for an endpoint. A first attempt (`isFirst`) has no slot. */
type Attempt = { of: Receiver; url: string | null; startedAt: number; isFirst: boolean };

/**
 * Makes the slots of a worker. A receiver that hangs keeps only its own few attempts. If many receivers of a project
 * hang, a quarter of the project's slots is left for receivers that have answered. A first attempt needs no slot.
 */
export function makeDeliverySlots(concurrency: number): DeliverySlots {
  const most = Math.max(1, Math.floor(concurrency / 2));
  const first = Math.min(DELIVERY_BOUNDS.firstWindow, most);
  const whole = { young: concurrency, all: (1 + DELIVERY_BOUNDS.slowPerSlot) * concurrency };
  const receivers = new Map<string, Receiver>();
  const attempts = new Set<Attempt>();
  const known = makeKnownReceivers();

  function leave(attempt: Attempt, hasAnswered: boolean): void {
    const { of } = attempt;
    attempts.delete(attempt);
    of.busy -= 1;
    of.window = hasAnswered ? Math.min(most, of.window + 1) : first;
    known.note(of, hasAnswered);
    if (of.busy === 0) receivers.delete(receiverKey(of));
  }

  return {
    room: (configured) => {
      const part = configured.length > 1 ? DELIVERY_BOUNDS.projectShare : 1;
      const share = { ...shareOf(whole, part), firsts: Math.floor(part * DELIVERY_BOUNDS.firstAttempts) };
      const [firsts, inSlots] = splitFirsts([...attempts]);
      const hanging = new Map([...attempts].filter(isSlow).map(({ of }) => [receiverKey(of), of]));
      const isAnswering = (of: ReceiverName) => known.hasAnswered(of) && !hanging.has(receiverKey(of));
      const projects = projectsOf([...attempts], { configured, share, isAnswering });
      const crowded = projects.filter(({ firstRoom }) => firstRoom !== null).map(({ project }) => project);
      return {
        free: Math.max(0, leastRoom(whole, inSlots)),
        firsts: crowded.length === 0 ? 0 : roomForFirsts(firsts),
        projects,
        receivers: receiversOf([...receivers.values()], [...attempts]),
        hanging: hangingUrls([...attempts]),
        answering: namedOf(crowded, () => known.answered().filter(isAnswering)),
        doubtful: namedOf(crowded, () => [...known.unanswered(), ...hanging.values()]),
        unknown: { project: shareOf(share, DELIVERY_BOUNDS.doubtfulShare).young, receiver: first },
      };
    },
    enter: ({ project, receiver, url, endpoint, isFirst }) => {
      const key = receiverKey({ project, receiver });
      const of = receivers.get(key) ?? { project, receiver, busy: 0, window: first };
      receivers.set(key, of);
      of.busy += 1;
      const attempt = { of, url: endpoint === null ? url : null, startedAt: performance.now(), isFirst };
      attempts.add(attempt);
      return (hasAnswered) => leave(attempt, hasAnswered);
    },
  };
}

function isSlow({ startedAt }: Attempt): boolean {
  return performance.now() - startedAt >= DELIVERY_BOUNDS.slowMs;
}

/** `young` counts the attempts that keep their slots. `all` also counts the attempts that have left their slots. */
type Share = { young: number; all: number };

function shareOf({ young, all }: Share, part: number): Share {
  return { young: Math.max(1, Math.floor(part * young)), all: Math.max(1, Math.floor(part * all)) };
}

/** Returns how many more attempts a share has room for. */
function leastRoom({ young, all }: Share, attempts: Attempt[]): number {
  const slow = attempts.filter(isSlow).length;
  return Math.min(young - (attempts.length - slow), all - attempts.length);
}

/**
 * Returns the room of each receiver. A few slow attempts at URLs of a host do not use its window, which is left to
 * its other URLs.
 */
function receiversOf(receivers: Receiver[], attempts: Attempt[]): DeliveryRoom['receivers'] {
  const slow = attempts.filter((attempt) => attempt.url !== null && isSlow(attempt));
  return receivers.map((of) => {
    const { project, receiver, busy, window } = of;
    const left = Math.min(DELIVERY_BOUNDS.slowOfHost, slow.filter((attempt) => attempt.of === of).length);
    return { project, receiver, busy, room: window - (busy - left) };
  });
}

/** Returns the URLs of turns that hang and have as many attempts as a receiver that has not answered. */
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

/** Returns the projects that have attempts, or another weight than 1. */
function projectsOf(
  attempts: Attempt[],
  about: { configured: Weighed[]; share: Share & { firsts: number }; isAnswering: (of: Receiver) => boolean },
): DeliveryRoom['projects'] {
  const { configured, share, isAnswering } = about;
  const weights = new Map(configured.map(({ name, weight }) => [name, weight]));
  const weighted = configured.flatMap(({ name, weight }) => (weight === 1 ? [] : [name]));
  const names = new Set([...attempts.map(({ of }) => of.project), ...weighted]);
  return [...names].map((project) => {
    const [firsts, own] = splitFirsts(attempts.filter(({ of }) => of.project === project));
    const doubtful = own.filter(({ of }) => !isAnswering(of));
    const doubtfulShare = shareOf(share, DELIVERY_BOUNDS.doubtfulShare);
    const room = leastRoom(share, own);
    const doubtfulRoom = Math.min(room, leastRoom(doubtfulShare, doubtful));
    const isCrowded = leastRoom(halfOf(doubtfulShare), doubtful) <= 0;
    return {
      ...{ project, weight: weights.get(project) ?? 1 },
      busy: own.filter((attempt) => !isSlow(attempt)).length,
      room: isCrowded ? room : doubtfulRoom,
      doubtfulRoom,
      // Until half of a share is taken, the statement need not distinguish the receivers.
      firstRoom: isCrowded ? share.firsts - firsts.length : null,
    };
  });
}

/** Returns how many first attempts may begin at one look. */
function roomForFirsts(firsts: Attempt[]): number {
  return Math.min(DELIVERY_BOUNDS.firstAttemptsAtOnce, DELIVERY_BOUNDS.firstAttempts - firsts.length);
}

function halfOf({ young, all }: Share): Share {
  return { young: young / 2, all: all / 2 };
}

/** Splits attempts into first attempts and others. */
function splitFirsts(attempts: Attempt[]): [Attempt[], Attempt[]] {
  return [attempts.filter(({ isFirst }) => isFirst), attempts.filter(({ isFirst }) => !isFirst)];
}

/** Returns the first receivers of each project, as many as the statement takes. */
function namedOf(projects: string[], receivers: () => ReceiverName[]): ReceiverName[] {
  if (projects.length === 0) return [];
  const all = receivers().map(({ project, receiver }) => ({ project, receiver }));
  return projects.flatMap((project) =>
    all.filter((receiver) => receiver.project === project).slice(0, DELIVERY_BOUNDS.namedReceivers),
  );
}

import { randomUUID } from 'node:crypto';
import type { RateLimitedModel } from '#core/checkpoint/rescue.ts';
import { ProviderFailed } from '#core/failure.ts';
import type { Pubsub, RateLimitChange } from '#core/pubsub/pubsub.ts';
import { askedTier, limitName } from '#core/turn/tiers/change-tier.ts';
import { LONGEST_PAUSE_MS } from '#core/turn/timing.ts';
import type { Turn } from '#core/turn/turn.ts';

/**
 * The models that are rate-limited now, by the clock of this process. A new process does not know them, and learns
 * each at the cost of one refused call.
 */
export type RateLimits = {
  /** Returns whether any model is limited, or was limited lately. */
  any(): boolean;
  /** Returns whether a model may be called now, also as the probe of a limit that is over. */
  allows(name: string): boolean;
  /** Returns how long a turn should wait for a model, in milliseconds. */
  waitMs(name: string): number;
  /**
   * Books the return of a turn that has to wait, in milliseconds from now. The more turns wait, the later is the
   * return. A turn that was refused `again` returns after the others.
   */
  bookReturn(name: string, again?: 'again'): number;
  /**
   * Returns whether the probe of a limit was refused too. Then the wait counts. A limit that lifts before the probe
   * fails does not count.
   */
  isStuck(name: string): boolean;
  /**
   * Returns the permit for one request to a model. If a limit is just over, the request is the probe until the permit
   * is disposed.
   */
  acquire(name: string): Permit;
  /** Notes a 429. The model is not called for `requestedMs`, or else for pauses that grow until a call succeeds. */
  refused(name: string, requestedMs: number | undefined): void;
  /** Notes a reply that has used up a limit. The model is not called for `forMs`, as after a refusal. */
  exhausted(name: string, forMs: number): void;
  /** Notes the limits that another worker has met. */
  receive(message: RateLimitChange): void;
  /** Returns the models that may not be called now. Publishes the probes of this worker that are still in flight. */
  limited(): RateLimitedModel[];
};

/** `answered`: the model has begun to reply, so all waiting rounds may ask the model too. */
export type Permit = Disposable & { answered(): void };

/** Returns the name of the rate limit for the next round of a turn. A model that writes summaries has its own limit. */
export function rateLimitOf(turn: Pick<Turn, 'config' | 'work'>): string {
  return limitName(turn.work.model, askedTier(turn));
}

/** No request was made, since the model is rate-limited. */
export class RateLimited extends ProviderFailed {
  constructor(limit: string) {
    const message = `${limit} is rate-limited, so the worker did not ask it. A turn fails if a limit lasts for ten minutes. Retry a failed turn later.`;
    super('provider_rate_limited', message, { retry: { kind: 'rate-limited' } });
  }
}

const SHORTEST_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;

/** The maximum number of remembered models, since callers choose their names. */
const MOST_MODELS = 1_000;
const FORGET_MS = 600_000;

/** Keeps the limits of all models, and publishes them to the other workers. `now` is in milliseconds and monotonic. */
export function makeRateLimits(
  { publishToWorkers }: Pick<Pubsub, 'publishToWorkers'>,
  now: () => number = () => performance.now(),
): RateLimits {
  const by = randomUUID();
  const limits = new Map<string, Limit>();
  const publish = (name: string, change: RateLimitChange['change']) =>
    publishToWorkers({ kind: 'rate-limit', by, name, change });

  return {
    any: () => limits.size > 0,
    allows: (name) => awayMs(limits.get(name), now()) === 0,
    waitMs: (name) => awayMs(limits.get(name), now()),
    isStuck: (name) => isStuck(limits.get(name)),
    bookReturn: (name, again) => bookReturn(known(limits, name), now()) + (again ? BEHIND_OTHERS_MS : 0),
    acquire: (name) => {
      const limit = limits.get(name);
      if (!limit) return FREE;
      const probe = { isOwn: true, since: now(), until: now() + PROBE_MS };
      limit.probe = probe;
      publish(name, { state: 'probed' });
      return {
        answered: () => {
          if (limits.get(name) !== limit || limit.until > now()) return;
          limits.delete(name);
          publish(name, { state: 'over' });
        },
        [Symbol.dispose]: () => {
          if (limits.get(name) !== limit || limit.probe !== probe) return;
          limit.probe = null;
          publish(name, { state: 'unanswered' });
        },
      };
    },
    refused: (name, requestedMs) => {
      const closed = close(known(limits, name), { requestedMs, now: now() });
      if (closed) publish(name, { state: 'closed', ...closed });
    },
    exhausted: (name, forMs) => {
      const closed = closeUnrefused(known(limits, name), { forMs, now: now() });
      if (closed) publish(name, { state: 'closed', ...closed });
    },
    receive: ({ by: sender, name, change }) => {
      if (sender !== by) receiveChange(limits, { name, change, now: now() });
    },
    limited: () => {
      forgetOld(limits, now());
      const all = [...limits].map(([name, limit]) => ({ name, limit, forMs: awayMs(limit, now()) }));
      const limited = all.filter(({ forMs }) => forMs > 0);
      for (const { name, limit } of limited) if (limit.probe?.isOwn) publish(name, { state: 'probed' });
      return limited.map(({ name, limit, forMs }) => ({ name, forMs, counts: isStuck(limit) }));
    },
  };
}

export const FREE: Permit = { answered: () => {}, [Symbol.dispose]: () => {} };

/**
 * If `until` has passed, the next request is the `probe`. `refusals` counts the pauses since the model last answered.
 * `nextReturn` is the time at which the next waiting turn returns.
 */
type Limit = { until: number; nextPauseMs: number; nextReturn: number; refusals: number; probe: Probe | null };

/**
 * A request that tests whether a limit is over. By `until` the model must answer, or the worker must publish the
 * probe again.
 */
type Probe = { isOwn: boolean; since: number; until: number };

function known(limits: Map<string, Limit>, name: string): Limit {
  const limit = limits.get(name) ?? { until: 0, nextPauseMs: FIRST_PAUSE_MS, nextReturn: 0, refusals: 0, probe: null };
  for (const oldest of limits.keys()) {
    if (limits.size < MOST_MODELS || limits.has(name)) break;
    limits.delete(oldest);
  }
  limits.set(name, limit);
  return limit;
}

function forgetOld(limits: Map<string, Limit>, now: number): void {
  for (const [name, { until }] of limits) if (until < now - FORGET_MS) limits.delete(name);
}

function isStuck(limit: Limit | undefined): boolean {
  return (limit?.refusals ?? 0) > 1;
}

/**
 * While a probe is in flight, other turns wait for the time that the probe has taken so far, and at least this time.
 */
const SHORTEST_RETURN_MS = 500;
/** A probe without an answer after this time delays no turn: the next request is a probe too. */
const PROBE_MS = 30_000;
/** The worker publishes the probe each second. A worker that stops publishing may have died. */
const SILENT_PROBE_MS = 4_000;

function awayMs(limit: Limit | undefined, now: number): number {
  if (!limit) return 0;
  if (limit.until > now) return limit.until - now;
  const { probe } = limit;
  return probe && probe.until > now ? Math.max(now - probe.since, SHORTEST_RETURN_MS) : 0;
}

/** The interval at which turns that wait for one model return, until they fill a minute. */
const SPACING_MS = 10;
/** The delay of a turn after a refused probe. The same turn must not be the probe again while others wait. */
const BEHIND_OTHERS_MS = 1_000;

function bookReturn(limit: Limit, now: number): number {
  const first = now + awayMs(limit, now);
  const isFree = limit.nextReturn >= first && limit.nextReturn <= first + LONGEST_PAUSE_MS;
  const at = isFree ? limit.nextReturn : first;
  limit.nextReturn = at + SPACING_MS;
  return Math.max(1, Math.round(at - now));
}

/**
 * Closes a limit after a refusal. A refusal while the limit is closed belongs to an earlier request. Such a refusal
 * may extend the limit, but not the next pause.
 */
function close(limit: Limit, { requestedMs, now }: { requestedMs: number | undefined; now: number }) {
  if (limit.until > now && !requestedMs) return null;
  const pauseMs = requestedMs
    ? Math.min(Math.max(requestedMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS)
    : limit.nextPauseMs;
  if (!requestedMs) limit.nextPauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  const until = now + pauseMs;
  if (until <= limit.until) return null;
  if (limit.until <= now) limit.refusals += 1;
  limit.until = until;
  limit.probe = null;
  return { forMs: pauseMs, nextPauseMs: limit.nextPauseMs };
}

/** A reset that a provider reports counts up to a day. */
const LONGEST_RESET_MS = 86_400_000;

/** Closes a limit after a reply that used it up. Such a model is not stuck. */
function closeUnrefused(limit: Limit, { forMs, now }: { forMs: number; now: number }) {
  const pauseMs = Math.min(Math.max(forMs, SHORTEST_PAUSE_MS), LONGEST_RESET_MS);
  limit.refusals = 0;
  if (now + pauseMs <= limit.until) return null;
  limit.until = now + pauseMs;
  limit.probe = null;
  return { forMs: pauseMs, nextPauseMs: limit.nextPauseMs };
}

/** The estimated delay of a message. Turns return by the clock of the worker that sent it. */
const TRANSIT_MS = 50;

type Received = Pick<RateLimitChange, 'name' | 'change'> & { now: number };

function receiveChange(limits: Map<string, Limit>, { name, change, now }: Received): void {
  const limit = change.state === 'closed' ? known(limits, name) : limits.get(name);
  if (!limit) return;
  switch (change.state) {
    case 'closed':
      if (limit.until <= now) limit.refusals += 1;
      limit.until = Math.max(limit.until, now + change.forMs - TRANSIT_MS);
      limit.nextPauseMs = Math.max(limit.nextPauseMs, change.nextPauseMs);
      limit.probe = null;
      return;
    case 'probed':
      limit.probe = remoteProbe(limit.probe, now);
      return;
    case 'unanswered':
      limit.probe = null;
      return;
    case 'over':
      if (limit.until <= now) limits.delete(name);
  }
}

/** Notes a probe of another worker, which does not replace a probe of this worker. */
function remoteProbe(before: Probe | null, now: number): Probe {
  if (before?.isOwn && before.until > now) return before;
  const since = before && before.until > now ? before.since : now;
  return { isOwn: false, since, until: Math.min(now + SILENT_PROBE_MS, since + PROBE_MS) };
}

import { randomUUID } from 'node:crypto';
import type { RateLimitedModel } from '#core/checkpoint/rescue.ts';
import { ProviderFailed } from '#core/failure.ts';
import type { Pubsub, RateLimitChange } from '#core/pubsub/pubsub.ts';
import { askedTier, limitName } from '#core/turn/tiers/change-tier.ts';
import { LONGEST_PAUSE_MS } from '#core/turn/timing.ts';
import type { Turn } from '#core/turn/turn.ts';

/** Which models are rate-limited now, by this process's clock. A hint: it is lost with the process, at the cost of one refused call. */
export type RateLimits = {
  /** Whether any model is limited, or was lately. */
  any(): boolean;
  /** Whether a model may be called now, be it as the probe of a limit that is over. */
  allows(name: string): boolean;
  /** How long a model is left alone from now on, in milliseconds. */
  waitMs(name: string): number;
  /**
   * Books when a turn that has to wait comes back, in milliseconds from now: the more turns wait, the later. A turn that was
   * refused `again` comes behind them.
   */
  bookReturn(name: string, again?: 'again'): number;
  /** Whether the probe of a limit was refused too: then waiting for it counts. A limit that comes and goes counts nothing. */
  isStuck(name: string): boolean;
  /** For one request to a model that may be called; where a limit is just over it is the probe, until disposed. */
  acquire(name: string): Permit;
  /** Notes a 429: the model is left alone for `requestedMs`, else for longer each time until a call succeeds. */
  refused(name: string, requestedMs: number | undefined): void;
  /** Notes a reply after which nothing is left of a limit: the same, but no refusal. */
  exhausted(name: string, forMs: number): void;
  /** Notes what another worker has met. */
  receive(message: RateLimitChange): void;
  /** The models that may not be called now. Publishes the probes that are still in flight. */
  limited(): RateLimitedModel[];
};

/** `answered`: the model has begun to reply, so that all others may call it too. */
export type Permit = Disposable & { answered(): void };

/** The name of the rate limit that the next round of a turn is under. A model that writes summaries is under its own. */
export function rateLimitOf(turn: Pick<Turn, 'config' | 'work'>): string {
  return limitName(turn.work.model, askedTier(turn));
}

/** No request was made, since the model is rate-limited. */
export class RateLimited extends ProviderFailed {
  constructor(limit: string) {
    const message = `${limit} is rate-limited and was not asked. A turn fails that has waited ten minutes for a limit which does not end; retry it then.`;
    super('provider_rate_limited', message, { retry: { kind: 'rate-limited' } });
  }
}

const SHORTEST_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;

/** Models remembered at most: their names come from callers. */
const MOST_MODELS = 1_000;
const FORGET_MS = 600_000;

/** Keeps the limits of all models, and publishes them to the other workers. `now` is in milliseconds and never goes back. */
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

const FREE: Permit = { answered: () => {}, [Symbol.dispose]: () => {} };

/**
 * `until` may have passed: then the next request is the `probe`. `refusals` counts the pauses since the model last answered;
 * `nextReturn` is when the next turn that waits comes back.
 */
type Limit = { until: number; nextPauseMs: number; nextReturn: number; refusals: number; probe: Probe | null };

/** A request that shows whether a limit is over; `until` then it has to be answered, or published again by its worker. */
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

/** While a probe is in flight the others come back after as long as it has taken so far, and this at least. */
const SHORTEST_RETURN_MS = 500;
/** A probe without an answer by then delays nothing: the next request is a probe too. */
const PROBE_MS = 30_000;
/** Its worker publishes it each second; a worker that falls silent may have died. */
const SILENT_PROBE_MS = 4_000;

function awayMs(limit: Limit | undefined, now: number): number {
  if (!limit) return 0;
  if (limit.until > now) return limit.until - now;
  const { probe } = limit;
  return probe && probe.until > now ? Math.max(now - probe.since, SHORTEST_RETURN_MS) : 0;
}

/** Turns that wait for one model come back this far from each other, until a minute is full of them. */
const SPACING_MS = 10;
/** A turn that has each probe refused must not be the probe while others wait. */
const BEHIND_OTHERS_MS = 1_000;

function bookReturn(limit: Limit, now: number): number {
  const first = now + awayMs(limit, now);
  const isFree = limit.nextReturn >= first && limit.nextReturn <= first + LONGEST_PAUSE_MS;
  const at = isFree ? limit.nextReturn : first;
  limit.nextReturn = at + SPACING_MS;
  return Math.max(1, Math.round(at - now));
}

/** A refusal while the limit is closed belongs to an earlier request: it may extend the limit, but not the next pause. */
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

/** About how long a message is on its way: turns come back by the clock of the worker that sent it. */
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

/** A probe of this worker's own is not replaced by that of another. */
function remoteProbe(before: Probe | null, now: number): Probe {
  if (before?.isOwn && before.until > now) return before;
  const since = before && before.until > now ? before.since : now;
  return { isOwn: false, since, until: Math.min(now + SILENT_PROBE_MS, since + PROBE_MS) };
}

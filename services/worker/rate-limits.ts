import { randomUUID } from 'node:crypto';
import type { RateLimited } from '#core/checkpoint/rescue-turns.ts';
import type { Live, RateLimitNews } from '#core/live/live.ts';
import { LONGEST_PAUSE_MS } from '#core/turn/timing.ts';

/** Which models may not be asked now, by this process's clock. A hint: lost with the process, which costs one refused call. */
export type RateLimits = {
  /** Whether any model is limited, or was of late. */
  any(): boolean;
  /** Whether a model may be asked now, be it as the probe of a limit that is over. */
  mayAsk(model: string): boolean;
  /**
   * Books when a turn that may not ask comes back, in milliseconds from now: the more of them wait, the later, and behind them a
   * turn that was refused `again`.
   */
  bookReturn(model: string, again?: 'again'): number;
  /** Whether the probe of a limit was refused too: then waiting for it counts. A limit that comes and goes is only a queue. */
  isStuck(model: string): boolean;
  /** Goes with one request to a model that may be asked; where a limit is just over it is the probe, until disposed. */
  enter(model: string): Pass;
  /** Notes a 429: the model is left alone for `askedMs`, else for longer each time until a call succeeds. */
  refused(model: string, askedMs: number | undefined): void;
  /** Notes what another worker has met. */
  hear(news: RateLimitNews): void;
  /** The models that may not be asked now. Tells the other workers of probes that are still under way. */
  limited(): RateLimited[];
};

/** `answered`: the model has begun to reply, so that all others may ask it too. */
export type Pass = Disposable & { answered(): void };

const SHORTEST_PAUSE_MS = 1_000;
const FIRST_PAUSE_MS = 5_000;

/** What is remembered at most; models are strings of callers. */
const MOST_MODELS = 1_000;
const FORGET_MS = 600_000;

/** Keeps the limits of all models, and tells the other workers. `now` is in milliseconds and only ever grows. */
export function makeRateLimits(
  { tellWorkers }: Pick<Live, 'tellWorkers'>,
  now: () => number = () => performance.now(),
): RateLimits {
  const by = randomUUID();
  const limits = new Map<string, Limit>();
  const tell = (model: string, change: RateLimitNews['change']) =>
    tellWorkers({ kind: 'rate-limit', by, model, change });

  return {
    any: () => limits.size > 0,
    mayAsk: (model) => awayMs(limits.get(model), now()) === 0,
    isStuck: (model) => isStuck(limits.get(model)),
    bookReturn: (model, again) => bookReturn(known(limits, model), now()) + (again ? BEHIND_OTHERS_MS : 0),
    enter: (model) => {
      const limit = limits.get(model);
      if (!limit) return FREE;
      const probe = { isOwn: true, since: now(), until: now() + PROBE_MS };
      limit.probe = probe;
      tell(model, { state: 'probed' });
      return {
        answered: () => {
          if (limits.get(model) !== limit || limit.until > now()) return;
          limits.delete(model);
          tell(model, { state: 'over' });
        },
        [Symbol.dispose]: () => {
          if (limits.get(model) !== limit || limit.probe !== probe) return;
          limit.probe = null;
          tell(model, { state: 'unanswered' });
        },
      };
    },
    refused: (model, askedMs) => {
      const closed = close(known(limits, model), { askedMs, now: now() });
      if (closed) tell(model, { state: 'closed', ...closed });
    },
    hear: ({ by: teller, model, change }) => {
      if (teller !== by) learn(limits, { model, change, now: now() });
    },
    limited: () => {
      forgetOld(limits, now());
      const all = [...limits].map(([model, limit]) => ({ model, limit, forMs: awayMs(limit, now()) }));
      const limited = all.filter(({ forMs }) => forMs > 0);
      for (const { model, limit } of limited) if (limit.probe?.isOwn) tell(model, { state: 'probed' });
      return limited.map(({ model, limit, forMs }) => ({ model, forMs, counts: isStuck(limit) }));
    },
  };
}

const FREE: Pass = { answered: () => {}, [Symbol.dispose]: () => {} };

/**
 * `until` may have passed: then the next request is the `probe`. `refusals` counts the pauses since the model last answered;
 * `nextReturn` is when the next turn that waits comes back.
 */
type Limit = { until: number; nextPauseMs: number; nextReturn: number; refusals: number; probe: Probe | null };

/** A request that is to show whether a limit is over; `until` it has to be answered, or told of again by its worker. */
type Probe = { isOwn: boolean; since: number; until: number };

function known(limits: Map<string, Limit>, model: string): Limit {
  const limit = limits.get(model) ?? { until: 0, nextPauseMs: FIRST_PAUSE_MS, nextReturn: 0, refusals: 0, probe: null };
  for (const oldest of limits.keys()) {
    if (limits.size < MOST_MODELS || limits.has(model)) break;
    limits.delete(oldest);
  }
  limits.set(model, limit);
  return limit;
}

function forgetOld(limits: Map<string, Limit>, now: number): void {
  for (const [model, { until }] of limits) if (until < now - FORGET_MS) limits.delete(model);
}

function isStuck(limit: Limit | undefined): boolean {
  return (limit?.refusals ?? 0) > 1;
}

/** While a probe is under way the others come back after as long as it has taken so far, within these. */
const SHORTEST_LOOK_MS = 500;
/** A probe that has no answer by then holds up nothing: the next request is a probe too. */
const PROBE_MS = 30_000;
/** Its worker tells of it each second; where it falls silent it may have died. */
const SILENT_PROBE_MS = 4_000;

function awayMs(limit: Limit | undefined, now: number): number {
  if (!limit) return 0;
  if (limit.until > now) return limit.until - now;
  const { probe } = limit;
  return probe && probe.until > now ? Math.max(now - probe.since, SHORTEST_LOOK_MS) : 0;
}

/** Turns that wait for one model come back this far from each other, until a minute is full of them. */
const SPACING_MS = 10;
/** A turn that each probe of it is refused must not be the probe while others wait. */
const BEHIND_OTHERS_MS = 1_000;

function bookReturn(limit: Limit, now: number): number {
  const first = now + awayMs(limit, now);
  const isFree = limit.nextReturn >= first && limit.nextReturn <= first + LONGEST_PAUSE_MS;
  const at = isFree ? limit.nextReturn : first;
  limit.nextReturn = at + SPACING_MS;
  return Math.max(1, Math.round(at - now));
}

/** What closes again that is closed was asked before it was: it may ask for longer, but makes the next pause no longer. */
function close(limit: Limit, { askedMs, now }: { askedMs: number | undefined; now: number }) {
  if (limit.until > now && !askedMs) return null;
  const pauseMs = askedMs ? Math.min(Math.max(askedMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS) : limit.nextPauseMs;
  if (!askedMs) limit.nextPauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  const until = now + pauseMs;
  if (until <= limit.until) return null;
  if (limit.until <= now) limit.refusals += 1;
  limit.until = until;
  limit.probe = null;
  return { forMs: pauseMs, nextPauseMs: limit.nextPauseMs };
}

/** About how long a message is on its way: turns come back by the clock of the worker that sent it. */
const ON_ITS_WAY_MS = 50;

type Learnt = Pick<RateLimitNews, 'model' | 'change'> & { now: number };

function learn(limits: Map<string, Limit>, { model, change, now }: Learnt): void {
  const limit = change.state === 'closed' ? known(limits, model) : limits.get(model);
  if (!limit) return;
  switch (change.state) {
    case 'closed':
      if (limit.until <= now) limit.refusals += 1;
      limit.until = Math.max(limit.until, now + change.forMs - ON_ITS_WAY_MS);
      limit.nextPauseMs = Math.max(limit.nextPauseMs, change.nextPauseMs);
      limit.probe = null;
      return;
    case 'probed':
      limit.probe = heardProbe(limit.probe, now);
      return;
    case 'unanswered':
      limit.probe = null;
      return;
    case 'over':
      if (limit.until <= now) limits.delete(model);
  }
}

/** A probe of this worker's own is not given up for that of another. */
function heardProbe(before: Probe | null, now: number): Probe {
  if (before?.isOwn && before.until > now) return before;
  const since = before && before.until > now ? before.since : now;
  return { isOwn: false, since, until: Math.min(now + SILENT_PROBE_MS, since + PROBE_MS) };
}

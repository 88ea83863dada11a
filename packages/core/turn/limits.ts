import { sumKnownCosts, type Usage, usageOfTurn, usagesOfTurn } from './reply.ts';

/** The parts of a turn that limits count: committed rounds, adopted calls, and summaries. */
type CountedTurn = {
  adopted: readonly unknown[];
  rounds: readonly { usage: Usage | null; calls: readonly unknown[] }[];
  compactions: readonly { usage: Usage | null }[];
};

type Limit = {
  name: string;
  /** A sentence about the counted thing, without a full stop. */
  counts: string;
  /** A sentence about the effect of reaching the limit. */
  after: string;
  /** Null means no limit. */
  byDefault: number | null;
  /** The minimum. Null allows any number above 0, with decimals. */
  min: number | null;
  max: number | null;
  /** The reason in `incomplete_details` of a turn that reached it. */
  reason: string;
  /** Whether the committed rounds reach it. Null for a limit that the database's clock decides (`Work.overdue`). */
  isReached: ((turn: CountedTurn, limit: number) => boolean) | null;
};

const LIMITS = [
  {
    name: 'max_tool_calls',
    byDefault: 200,
    min: 1,
    max: 10_000,
    reason: 'max_tool_calls',
    counts: 'The maximum number of tool calls',
    after: 'Further calls fail with `cancelled`, and a last round sums up.',
    isReached: ({ adopted, rounds }, limit) =>
      rounds.reduce((sum, { calls }) => sum + calls.length, adopted.length) > limit,
  },
  {
    name: 'max_rounds',
    byDefault: 50,
    min: 1,
    max: 1_000,
    reason: 'max_rounds',
    counts: 'The maximum number of rounds with tool calls',
    after: 'Then a last round sums up.',
    isReached: ({ rounds }, limit) => rounds.filter(({ calls }) => calls.length > 0).length >= limit,
  },
  {
    name: 'max_total_tokens',
    byDefault: null,
    min: 1,
    max: null,
    reason: 'max_total_tokens',
    counts: 'The maximum total tokens, checked before each round',
    after: 'Then a last round sums up.',
    isReached: (turn, limit) => usageOfTurn(turn).total_tokens >= limit,
  },
  {
    name: 'max_cost_usd',
    byDefault: null,
    min: null,
    max: null,
    reason: 'max_cost_usd',
    counts: 'The maximum cost in US dollars by `PAWL_PRICES`, checked before each round',
    after: 'Then a last round sums up. A round without a known cost counts as 0, and the turn shows a warning.',
    isReached: (turn, limit) => sumKnownCosts(usagesOfTurn(turn)) >= limit,
  },
  {
    name: 'deadline_seconds',
    byDefault: null,
    min: 1,
    max: 31_536_000,
    reason: 'deadline',
    counts: 'Seconds from `created_at` to the end of the turn, including waits',
    after: 'Running requests and calls are aborted, and the turn ends without a last round.',
    isReached: null,
  },
] as const satisfies readonly Limit[];

type Listed = (typeof LIMITS)[number];
type LimitName = Listed['name'];

/** The reason of a turn that reached a limit. */
export type LimitReason = Listed['reason'];

/** The limits that have a default, with their defaults. */
export type DefaultLimits = {
  [One in Listed as One['byDefault'] extends number ? One['name'] : never]: One['byDefault'];
};

/** The limits of one turn with their defaults. Null means no limit. */
export type Limits = { [Name in LimitName]: Name extends keyof DefaultLimits ? number : number | null };

/** All limits. Schemas, resources, OpenAPI and `docs/limits.md` use them. The first reached limit is the reason. */
export const limits: readonly (Limit & { name: LimitName; reason: LimitReason })[] = LIMITS;

/** Returns an object with a value for each limit, by its name. */
export function mapLimits<Value>(make: (limit: Limit) => Value): Record<LimitName, Value> {
  // The names are those of the list.
  return Object.fromEntries(limits.map((limit) => [limit.name, make(limit)])) as Record<LimitName, Value>;
}

/** Returns the limits of a turn. An omitted or null limit has its default. */
export function fillLimits(given: { [Name in LimitName]?: number | null | undefined } | null | undefined): Limits {
  const filled = limits.map(({ name, byDefault }) => [name, given?.[name] ?? byDefault]);
  // A limit with a default is a number.
  return Object.fromEntries(filled) as Limits;
}

/** Returns the reason why the next round is the last round, or null if the committed rounds reach no limit. */
export function reachedReason(turn: CountedTurn, own: Limits): LimitReason | null {
  const reached = limits.find(({ name, isReached }) => isReached?.(turn, own[name] ?? Number.POSITIVE_INFINITY));
  return reached?.reason ?? null;
}

import { sumKnownCosts, type Usage, usageOfTurn, usagesOfTurn } from './reply.ts';

/** What limits count in: the committed rounds, the calls that the turn adopted, and the summaries written for it. */
type CountedTurn = {
  adopted: readonly unknown[];
  rounds: readonly { usage: Usage | null; calls: readonly unknown[] }[];
  compactions: readonly { usage: Usage | null }[];
};

type Limit = {
  name: string;
  /** What it counts, without a full stop. */
  counts: string;
  /** What follows once it is reached, in a sentence. */
  after: string;
  /** Null means: no limit. */
  byDefault: number | null;
  /** The least that may be given; null: any number above 0, and not only a whole one. */
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
    counts: 'Tool calls in all',
    after: 'Calls beyond are answered `cancelled`; then a last round sums up.',
    isReached: ({ adopted, rounds }, limit) =>
      rounds.reduce((sum, { calls }) => sum + calls.length, adopted.length) > limit,
  },
  {
    name: 'max_rounds',
    byDefault: 50,
    min: 1,
    max: 1_000,
    reason: 'max_rounds',
    counts: 'Rounds with tool calls',
    after: 'A last round that sums up comes on top.',
    isReached: ({ rounds }, limit) => rounds.filter(({ calls }) => calls.length > 0).length >= limit,
  },
  {
    name: 'max_total_tokens',
    byDefault: null,
    min: 1,
    max: null,
    reason: 'max_total_tokens',
    counts: 'Tokens in all, checked before each round',
    after: 'Then a last round sums up.',
    isReached: (turn, limit) => usageOfTurn(turn).total_tokens >= limit,
  },
  {
    name: 'max_cost_usd',
    byDefault: null,
    min: null,
    max: null,
    reason: 'max_cost_usd',
    counts: 'US dollars in all by `PAWL_PRICES`, checked before each round',
    after: 'Then a last round sums up. A round without a known cost counts nothing, and the turn warns of it.',
    isReached: (turn, limit) => sumKnownCosts(usagesOfTurn(turn)) >= limit,
  },
  {
    name: 'deadline_seconds',
    byDefault: null,
    min: 1,
    max: 31_536_000,
    reason: 'deadline',
    counts: 'Seconds from `created_at`, also while the turn waits',
    after: 'What runs is aborted, and the turn ends without a last round.',
    isReached: null,
  },
] as const satisfies readonly Limit[];

type Listed = (typeof LIMITS)[number];
type LimitName = Listed['name'];

/** The reason of a turn that reached a limit. */
export type LimitReason = Listed['reason'];

/** The defaults of those limits that have one. */
export type DefaultLimits = {
  [One in Listed as One['byDefault'] extends number ? One['name'] : never]: One['byDefault'];
};

/** The limits of one turn, every default filled in; null means: no limit. */
export type Limits = { [Name in LimitName]: Name extends keyof DefaultLimits ? number : number | null };

/** All limits; schemas, resources, OpenAPI and `docs/limits.md` follow. The first that is reached is the reason. */
export const limits: readonly (Limit & { name: LimitName; reason: LimitReason })[] = LIMITS;

/** Makes a value of each limit, by its name. */
export function mapLimits<Value>(make: (limit: Limit) => Value): Record<LimitName, Value> {
  // The names are those of the list.
  return Object.fromEntries(limits.map((limit) => [limit.name, make(limit)])) as Record<LimitName, Value>;
}

/** The limits of a turn for which the caller gave these: what was left out, or is null, has its default. */
export function fillLimits(given: { [Name in LimitName]?: number | null | undefined } | null | undefined): Limits {
  const filled = limits.map(({ name, byDefault }) => [name, given?.[name] ?? byDefault]);
  // A limit with a default is a number.
  return Object.fromEntries(filled) as Limits;
}

/** The reason for which the committed rounds make the next round the last one; null where no limit is reached. */
export function reachedReason(turn: CountedTurn, own: Limits): LimitReason | null {
  const reached = limits.find(({ name, isReached }) => isReached?.(turn, own[name] ?? Number.POSITIVE_INFINITY));
  return reached?.reason ?? null;
}

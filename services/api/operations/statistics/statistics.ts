import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  type Figures,
  readStatistics,
  type Statistics as StoredStatistics,
} from '#core/checkpoint/turns/reading/statistics.ts';
import { RequestRefused } from '#core/failure.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../../http/router.ts';
import { requireScope } from '../../http/scopes.ts';
import { exampleOf } from '../../schemas/fields/example-of.ts';
import { TurnId } from '../../schemas/fields/id.ts';
import { queryInteger } from '../../schemas/fields/query-number.ts';
import { Time } from '../../schemas/fields/time.ts';
import { TurnsByStatus } from './turns-by-status.ts';

const PATTERN = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+ -]\d\d:\d\d))?$/;
const WHAT = 'give a date (2026-11-20), or a time in RFC 3339 (2026-11-20T10:00:00Z)';

/**
 * A moment in a query, in ms since 1970: a time with its offset, or a date, which begins at midnight in UTC. A `+` that was not
 * escaped came as a space.
 */
function queryTime() {
  const moment = z
    .string()
    .regex(PATTERN, WHAT)
    .transform((text) => Date.parse(text.replace(' ', '+')));
  return moment.pipe(z.number(WHAT).int(WHAT)).meta({ type: 'string', examples: ['2026-11-20T10:00:00Z'] });
}

const DAY_MS = 24 * 60 * 60_000;

const Count = z.int().min(0);

const Percentiles = z
  .object({
    p50: Count.describe('Half of them took at most so long, in milliseconds.'),
    p95: Count.describe('95 of a hundred took at most so long.'),
  })
  .nullable();

const precision = z
  .enum(['exact', 'sampled', 'at_least'])
  .describe(
    '`exact`: counted. `sampled`: there are too many to look at each; the newest were, and the rest is taken to be like them. ' +
      '`at_least`: there are more than are counted.',
  );

const figures = {
  precision,
  turns: TurnsByStatus.describe('Turns that were created then, by the status that they have now.'),
  duration_ms: Percentiles.describe('From creation to end; null where none that began has ended.'),
  queue_wait_ms: Percentiles.describe('From creation to start; null where none has started.'),
  input_tokens: Count.describe('Tokens that went into their rounds and summaries, cached ones included.'),
  output_tokens: Count.describe('Tokens that came out of them.'),
};

const figuresOfExample = {
  ...{ precision: 'exact', turns: exampleOf(TurnsByStatus), input_tokens: 61_400, output_tokens: 5_120 },
  ...{ duration_ms: { p50: 2_310, p95: 8_042 }, queue_wait_ms: { p50: 3, p95: 12 } },
};
const [from, to] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'];

const StatisticsBucket = z.object({ from: Time, to: Time, ...figures }).meta({
  id: 'StatisticsBucket',
  description: 'A stretch of the range, and the turns that were created in it; `to` is exclusive.',
  examples: [{ from, to, ...figuresOfExample }],
});

const FailureGroup = z
  .object({
    error_code: z.string().describe('The code of their errors.'),
    turns: Count.describe('How many there are.'),
    precision,
    example: z
      .object({ turn_id: TurnId, project: z.string(), message: z.string(), created_at: Time })
      .describe('The newest of them.'),
  })
  .meta({
    id: 'FailureGroup',
    description: 'Failed turns whose errors have one code.',
    examples: [
      {
        ...{ error_code: 'provider_overloaded', turns: 2, precision: 'exact' },
        example: {
          ...{ turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx', project: 'default', created_at: '2026-11-20T10:31:07.412Z' },
          message: 'The provider is overloaded. Try again later.',
        },
      },
    ],
  });

const Statistics = z
  .object({
    object: z.literal('statistics'),
    ...{ from: Time, to: Time, ...figures },
    buckets: z.array(StatisticsBucket).describe('The range in equal stretches, oldest first.'),
    failures: z.array(FailureGroup).describe('Its failed turns by the code of their error, most first.'),
  })
  .meta({
    id: 'Statistics',
    description: 'What became of the turns that were created in a range of time.',
    examples: [
      {
        ...{ object: 'statistics', from, to, ...figuresOfExample },
        buckets: [{ from, to, ...figuresOfExample }],
        failures: FailureGroup.meta()?.examples,
      },
    ],
  });

const route = routesOf('Operation');

const read = route('get', '/v1/statistics', 'readStatistics', {
  summary: 'Read what became of the turns of a range of time',
  description:
    'Turns by status, latency, tokens, and failures by error code, in equal buckets. It costs the same however many turns there ' +
    'are: where they are too many to look at each, `precision` says so.',
  request: {
    query: z.object({
      from: queryTime().optional().describe('Turns created since; by default the day before `to`.'),
      to: queryTime().optional().describe('Turns created before; by default now.'),
      project: z
        .string()
        .min(1, 'give the name of a project, or *')
        .optional()
        .describe('Those of another project than that of the key, or of all: `*`. Needs the scope `admin`.'),
      buckets: queryInteger({ min: 1, max: 200 }).default(48).describe('Into how many stretches the range is divided.'),
    }),
  },
  answers: { 200: jsonAnswer('The figures.', Statistics) },
  refusals: ['invalid_value'],
});

/** `GET /v1/statistics`. */
export function statisticsRoutes({ readAnywhere }: ApiContext) {
  return makeRouter().openapi(read, async (c) => {
    const query = c.req.valid('query');
    const toMs = query.to ?? Date.now();
    const range = { fromMs: query.from ?? toMs - DAY_MS, toMs, buckets: query.buckets };
    if (range.fromMs >= toMs) {
      throw new RequestRefused(400, 'invalid_value', '`from` is not before `to`. Give a range of time.', 'from');
    }
    const project = projectOf(c, query.project);
    const statistics = await readAnywhere((db) => readStatistics(db, { project, ...range }));
    return c.json(present(statistics, range), 200);
  });
}

/** The project that is asked for, null for all of them; another one than the caller's own takes an admin. */
function projectOf(c: Context<ApiEnv>, asked: string | undefined): string | null {
  const own = c.get('project');
  if (asked === undefined || asked === own) return own;
  requireScope(c, 'admin', 'project');
  return asked === '*' ? null : asked;
}

type Range = { fromMs: number; toMs: number; buckets: number };

function present({ total, buckets, failures }: StoredStatistics, range: Range): z.output<typeof Statistics> {
  const { fromMs, toMs } = range;
  const time = (number: number) => iso(new Date(fromMs + ((toMs - fromMs) * number) / range.buckets).toISOString());
  return {
    object: 'statistics' as const,
    ...{ from: time(0), to: time(range.buckets), ...presentFigures(total) },
    buckets: buckets.map((bucket, number) => ({ from: time(number), to: time(number + 1), ...presentFigures(bucket) })),
    failures: failures.map(({ errorCode, turns, precision, example: { id, createdAt, ...example } }) => ({
      ...{ error_code: errorCode, turns, precision },
      example: { turn_id: id, ...example, created_at: iso(createdAt) },
    })),
  };
}

function presentFigures({ precision, turns, durationMs, queueWaitMs, inputTokens, outputTokens }: Figures) {
  return {
    ...{ precision, turns, duration_ms: durationMs, queue_wait_ms: queueWaitMs },
    ...{ input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

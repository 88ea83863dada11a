import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import {
  type Figures,
  readStatistics,
  type AgentFigures as StoredAgentFigures,
  type Statistics as StoredStatistics,
} from '#core/checkpoint/turns/reading/statistics.ts';
import { RequestRefused } from '#core/failure.ts';
import { readAgentReference } from '#core/turn/agents/agent-reference.ts';
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
 * Reads a moment in a query, in ms since 1970: a time with its offset, or a date, which begins at midnight in UTC. An
 * unescaped `+` arrives as a space.
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
    p50: Count.describe('The median in milliseconds.'),
    p95: Count.describe('The 95th percentile in milliseconds.'),
  })
  .nullable();

const precision = z
  .enum(['exact', 'sampled', 'at_least'])
  .describe(
    '`exact`: all turns were counted. `sampled`: there are too many turns to read them all, so the numbers are projected from the newest. `at_least`: there are more turns than counted.',
  );

const figures = {
  precision,
  turns: TurnsByStatus.describe('The turns created in this time, by their current status.'),
  duration_ms: Percentiles.describe('The time from creation to end. Null if no started turn has ended.'),
  queue_wait_ms: Percentiles.describe('The time from creation to start. Null if no turn has started.'),
  input_tokens: Count.describe('The input tokens of their rounds and summaries, including cached tokens.'),
  output_tokens: Count.describe('The output tokens of their rounds and summaries.'),
};

const figuresOfExample = {
  ...{ precision: 'exact', turns: exampleOf(TurnsByStatus), input_tokens: 61_400, output_tokens: 5_120 },
  ...{ duration_ms: { p50: 2_310, p95: 8_042 }, queue_wait_ms: { p50: 3, p95: 12 } },
};
const [from, to] = ['2026-11-20T10:00:00.000Z', '2026-11-20T11:00:00.000Z'];

const StatisticsBucket = z.object({ from: Time, to: Time, ...figures }).meta({
  id: 'StatisticsBucket',
  description: 'A part of the time range, and the turns created in it. `to` is exclusive.',
  examples: [{ from, to, ...figuresOfExample }],
});

const FailureGroup = z
  .object({
    error_code: z.string().describe('The error code of the turns.'),
    turns: Count.describe('The number of turns.'),
    precision,
    example: z
      .object({ turn_id: TurnId, project: z.string(), message: z.string(), created_at: Time })
      .describe('The newest turn of the group.'),
  })
  .meta({
    id: 'FailureGroup',
    description: 'Failed turns with the same error code.',
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

const AgentFigures = z
  .object({
    agent: z.string().describe('The name of the agent.'),
    version: z.int().describe('The version of the agent.'),
    ...{ precision, turns: figures.turns, duration_ms: figures.duration_ms },
    ...{ input_tokens: figures.input_tokens, output_tokens: figures.output_tokens },
  })
  .meta({
    id: 'AgentFigures',
    description: 'The turns of a version of an agent, among the turns that were read.',
    examples: [
      {
        ...{ agent: 'support', version: 7, precision: 'exact', turns: exampleOf(TurnsByStatus) },
        ...{ duration_ms: { p50: 2_310, p95: 8_042 }, input_tokens: 61_400, output_tokens: 5_120 },
      },
    ],
  });

const Statistics = z
  .object({
    object: z.literal('statistics'),
    ...{ from: Time, to: Time, ...figures },
    buckets: z.array(StatisticsBucket).describe('The time range in equal buckets, oldest first.'),
    agents: z.array(AgentFigures).describe('The turns by version of an agent, at most 100 versions, most turns first.'),
    failures: z.array(FailureGroup).describe('The failed turns by error code, largest group first.'),
  })
  .meta({
    id: 'Statistics',
    description: 'Statistics of the turns created in a time range.',
    examples: [
      {
        ...{ object: 'statistics', from, to, ...figuresOfExample },
        buckets: [{ from, to, ...figuresOfExample }],
        agents: AgentFigures.meta()?.examples,
        failures: FailureGroup.meta()?.examples,
      },
    ],
  });

const route = routesOf('Operation');

const read = route('get', '/v1/statistics', 'readStatistics', {
  summary: 'Read statistics of the turns of a time range',
  description:
    'Returns turns by status, latency, tokens, and failures by error code, in equal buckets. The cost does not depend on the number of turns. If there are too many turns to read them all, `precision` says so.',
  request: {
    query: z.object({
      from: queryTime().optional().describe('Only turns created at this time or later. Default: one day before `to`.'),
      to: queryTime().optional().describe('Only turns created before this time. Default: now.'),
      project: z
        .string()
        .min(1, 'give the name of a project, or *')
        .optional()
        .describe('Another project than the project of the key, or `*` for all projects. Requires the scope `admin`.'),
      buckets: queryInteger({ min: 1, max: 200 }).default(48).describe('The number of buckets.'),
    }),
  },
  answers: { 200: jsonAnswer('The statistics.', Statistics) },
  refusals: ['invalid_value'],
});

/** Serves `GET /v1/statistics`. */
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

/**
 * Returns the requested project, or null for all projects. Another project than the caller's requires the scope
 * `admin`.
 */
function projectOf(c: Context<ApiEnv>, asked: string | undefined): string | null {
  const own = c.get('project');
  if (asked === undefined || asked === own) return own;
  requireScope(c, 'admin', 'project');
  return asked === '*' ? null : asked;
}

type Range = { fromMs: number; toMs: number; buckets: number };

function present({ total, buckets, failures, agents }: StoredStatistics, range: Range): z.output<typeof Statistics> {
  const { fromMs, toMs } = range;
  const time = (number: number) => iso(new Date(fromMs + ((toMs - fromMs) * number) / range.buckets).toISOString());
  return {
    object: 'statistics' as const,
    ...{ from: time(0), to: time(range.buckets), ...presentFigures(total) },
    buckets: buckets.map((bucket, number) => ({ from: time(number), to: time(number + 1), ...presentFigures(bucket) })),
    agents: agents.map(presentAgentFigures),
    failures: failures.map(({ errorCode, turns, precision, example: { id, createdAt, ...example } }) => ({
      ...{ error_code: errorCode, turns, precision },
      example: { turn_id: id, ...example, created_at: iso(createdAt) },
    })),
  };
}

function presentAgentFigures({ agent, precision, turns, durationMs, inputTokens, outputTokens }: StoredAgentFigures) {
  const { name, version } = readAgentReference(agent) ?? { name: agent, version: null };
  return {
    ...{ agent: name, version: version ?? 0, precision, turns, duration_ms: durationMs },
    ...{ input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

function presentFigures({ precision, turns, durationMs, queueWaitMs, inputTokens, outputTokens }: Figures) {
  return {
    ...{ precision, turns, duration_ms: durationMs, queue_wait_ms: queueWaitMs },
    ...{ input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

import { z } from '@hono/zod-openapi';
import { type ListedBatch, listBatches, type WaitingRequests } from '#core/checkpoint/batches/list-batches.ts';
import { iso } from '#core/turn/resource/iso.ts';
import type { ApiContext } from '../context.ts';
import { jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { Time } from '../schemas/fields/time.ts';
import { fullPage, listOf, PageQuery, readCursor } from '../schemas/page.ts';

const provider = z.string().describe('The name of the provider.');
const age = z.number().int();

const Batch = z
  .object({
    id: z.string().describe('The id of the batch. Providers that keep a key with a batch show this id.'),
    object: z.literal('batch'),
    provider,
    model: z.string().describe('The model of all requests, as `provider/model`.'),
    state: z
      .enum(['open', 'asked', 'sent', 'collected'])
      .describe(
        '`open`: a worker will send it, also again after a refusal. `asked`: the request is on its way, or its answer ' +
          'was lost. `sent`: the provider works on it. `collected`: all answers are stored, and Pawl deletes the batch ' +
          'at the provider.',
      ),
    requests: z.number().int().describe('The number of rounds in the batch.'),
    answered: z.number().int().describe('The number of rounds with a stored answer.'),
    created_at: Time.describe('The time when a worker put the rounds into this batch.'),
    refusals: z.number().int().describe('How often the provider has refused the whole batch.'),
    refusal_code: z.string().nullable().describe('The error code of the last refusal. Null without a refusal.'),
    sent_at: Time.nullable().describe('The time when the provider confirmed the batch. Null before.'),
    age_seconds: age.describe('The seconds since `created_at`.'),
  })
  .meta({
    id: 'Batch',
    description: 'Rounds that Pawl sends to the batch API of a provider in one request.',
    examples: [
      {
        ...{ id: 'batch_01kagz8m4pfvbte2n5q7rys3wx', object: 'batch', provider: 'openai', model: 'openai/gpt-5.4' },
        ...{
          state: 'sent',
          requests: 500,
          answered: 0,
          refusals: 0,
          refusal_code: null,
          created_at: '2026-05-04T09:58:00.000Z',
        },
        ...{ sent_at: '2026-05-04T09:58:03.000Z', age_seconds: 120 },
      },
    ],
  });

const WaitingRounds = z
  .object({
    object: z.literal('batch.waiting'),
    provider,
    model: z.string().describe('The model, as `provider/model`.'),
    requests: z.number().int().describe('The number of rounds that wait for a batch.'),
    age_seconds: age.describe('How long the oldest of these rounds waits, in seconds.'),
  })
  .meta({
    id: 'WaitingRounds',
    description: 'Rounds of a model that are in no batch yet.',
    examples: [
      {
        ...{ object: 'batch.waiting', provider: 'openai', model: 'openai/gpt-5.4', requests: 12, age_seconds: 30 },
      },
    ],
  });

const route = routesOf('Operation');

const list = route('get', '/v1/batches', 'listBatches', {
  summary: 'List the batches and the rounds that wait for a batch',
  description: 'Requires the scope `admin`. A batch is listed until Pawl has deleted it at its provider.',
  request: { query: PageQuery },
  answers: {
    200: jsonAnswer(
      'A page of the batches, newest first.',
      listOf(Batch).extend({ waiting: z.array(WaitingRounds).describe('The rounds in no batch, by model.') }),
    ),
  },
  refusals: ['invalid_value'],
});

/** Serves `GET /v1/batches`: the batches of all projects. */
export function batchRoutes({ db }: Pick<ApiContext, 'db'>) {
  return makeRouter().openapi(list, async (c) => {
    const { cursor, limit } = c.req.valid('query');
    const { before: after = null } = readCursor('batch', cursor);
    const { batches, hasMore, lanes } = await listBatches(db, { limit, after });
    const page = fullPage({ rows: batches, hasMore }, present);
    return c.json({ ...page, waiting: lanes.map(presentWaiting) }, 200);
  });
}

function present({ createdAt, sentAt, ageMs, ...batch }: ListedBatch) {
  const { id, provider, model, state, requests, answered, refusals, refusalCode } = batch;
  return {
    ...{ id, object: 'batch' as const, provider, model, state, requests, answered },
    ...{ refusals, refusal_code: refusalCode },
    ...{ created_at: iso(createdAt), sent_at: iso(sentAt), age_seconds: Math.floor(ageMs / 1000) },
  };
}

function presentWaiting({ provider, model, waiting, oldestMs }: WaitingRequests) {
  const age_seconds = Math.floor(oldestMs / 1000);
  return { object: 'batch.waiting' as const, provider, model, requests: waiting, age_seconds };
}

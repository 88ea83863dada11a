import { type RouteHandler, z } from '@hono/zod-openapi';
import {
  changeSchedule,
  createSchedule,
  deleteSchedule,
  findSchedule,
  listSchedules,
  lockSchedule,
  MAX_SCHEDULES,
  readClock,
} from '#core/checkpoint/schedules/schedules.ts';
import type { Db, Trx } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { isId, newId } from '#core/id.ts';
import { nextTime, nextTimes } from '#core/schedule/next-time.ts';
import { ScheduleChange, ScheduleRequest } from '#core/turn/request/schedule.ts';
import { type ListedSchedule, presentSchedule } from '#core/turn/resource/schedule.ts';
import { planOf, type Schedule as StoredSchedule } from '#core/turn/schedule/schedule.ts';
import { checkScheduledTurn } from '../../start/scheduled-turn.ts';
import { allowedAgents } from '../agents/allowed-agents.ts';
import type { ApiContext } from '../context.ts';
import { explainTurnIssues } from '../http/fields/foreign-fields.ts';
import { withIdempotencyKey } from '../http/idempotency.ts';
import { type ApiEnv, json, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import { ofBody, ofConfig, ofIdempotencyKey } from '../schemas/errors/refusals.ts';
import { createdHeaders, idempotencyKey } from '../schemas/fields/headers.ts';
import { ScheduleId } from '../schemas/fields/id.ts';
import { listOf, PageQuery, pageOf, readCursor } from '../schemas/page.ts';
import { givesPlan, readPlan } from './read-plan.ts';
import { Schedule } from './schedule.ts';

const params = z.object({ id: ScheduleId });
const ofTurn = [...ofBody, ...ofConfig, 'unsupported_content', 'conversation_not_found'] as const;

const route = routesOf('Schedules');

const create = route('post', '/v1/schedules', 'createSchedule', {
  summary: 'Create a schedule, which starts a turn at each planned time',
  description: 'Pawl checks the turn request now, and again at each planned time.',
  parameters: [idempotencyKey],
  request: { body: { required: true, content: json(ScheduleRequest) } },
  answers: { 201: jsonAnswer('Created.', Schedule, createdHeaders) },
  refusals: [...ofTurn, ...ofIdempotencyKey, 'too_many_schedules'],
});

const list = route('get', '/v1/schedules', 'listSchedules', {
  summary: 'List schedules, newest first',
  request: { query: PageQuery },
  answers: { 200: jsonAnswer('A page.', listOf(Schedule)) },
  refusals: ['invalid_value'],
});

const readSchedule = route('get', '/v1/schedules/{id}', 'readSchedule', {
  summary: 'Read a schedule, with its last firings and its next times',
  request: { params },
  answers: { 200: jsonAnswer('The schedule.', Schedule) },
  refusals: ['schedule_not_found'],
});

const change = route('patch', '/v1/schedules/{id}', 'changeSchedule', {
  summary: 'Change, enable or disable a schedule',
  description:
    'Omitted fields keep their values. A new plan counts from now. Times that pass while the schedule is disabled do not count as missed.',
  request: { params, body: { required: true, content: json(ScheduleChange) } },
  answers: { 200: jsonAnswer('The schedule as it is now.', Schedule) },
  refusals: [...ofTurn, 'schedule_not_found'],
});

const remove = route('delete', '/v1/schedules/{id}', 'deleteSchedule', {
  summary: 'Delete a schedule and keep the turns that it has started',
  request: { params },
  answers: { 204: { description: 'Deleted.' } },
  refusals: ['quota_exceeded', 'schedule_not_found'],
});

/** Serves `/v1/schedules`. */
export function scheduleRoutes(context: ApiContext) {
  return makeRouter(explainTurnIssues)
    .openapi(create, createOne(context))
    .openapi(list, async (c) => {
      const { cursor, limit } = c.req.valid('query');
      const rows = await listSchedules(context.db, c.get('project'), {
        ...readCursor('sched', cursor),
        limit: limit + 1,
      });
      return c.json(pageOf(rows, limit, present), 200);
    })
    .openapi(readSchedule, async (c) =>
      c.json(present(await findOwn(context.db, c.get('project'), c.req.valid('param').id)), 200),
    )
    .openapi(change, changeOne(context))
    .openapi(remove, async (c) => {
      const { id } = c.req.valid('param');
      if (!isId('sched', id) || !(await deleteSchedule(context.db, c.get('project'), id)))
        throw refused('schedule_not_found');
      return c.body(null, 204);
    });
}

function createOne(context: ApiContext): RouteHandler<typeof create, ApiEnv> {
  return async (c) => {
    const project = c.get('project');
    const { turn, conversation_id: conversationId = null, enabled, if_missed, ...plan } = c.req.valid('json');
    const keyId = c.get('keyId');
    await checkTurn(context, { project, turn, conversationId, keyId });
    const id = newId('sched');
    const created = await withIdempotencyKey(c, context, {
      inTransaction: async (trx) => {
        const now = await readClock(trx);
        const planned = readPlan(plan, { now });
        const own = { id, project, keyId, turn, conversationId, createdAt: now };
        const nextAt = enabled === false ? null : nextAfter(planned, now);
        const isMade = await createSchedule(trx, { ...own, ...planned, ifMissed: if_missed ?? 'once', nextAt });
        if (!isMade) throw tooMany();
        return { status: 201, resourceId: id };
      },
    });
    c.header('Location', `${context.publicUrl}/v1/schedules/${created.resourceId}`);
    return c.json(present(await findOwn(context.db, project, created.resourceId)), 201);
  };
}

function changeOne(context: ApiContext): RouteHandler<typeof change, ApiEnv> {
  const { db } = context;
  return async (c) => {
    const project = c.get('project');
    const found = await findOwn(db, project, c.req.valid('param').id);
    const body = c.req.valid('json');
    const turn = body.turn ?? found.turn;
    const conversationId = body.conversation_id === undefined ? found.conversationId : body.conversation_id;
    const isOther = body.turn !== undefined || body.conversation_id !== undefined;
    // Such a key may stop any schedule, and may only use a schedule that it could create.
    const isRestricted = allowedAgents(c, context) !== null && body.enabled !== false;
    if (isOther || isRestricted) await checkTurn(context, { project, turn, conversationId, keyId: c.get('keyId') });
    await db.transaction().execute((trx) => changeLocked(trx, found, body));
    return c.json(present(await findOwn(db, project, found.id)), 200);
  };
}

/** A plan counts from now if the request gives it or enables it. */
async function changeLocked(trx: Trx, { project, id }: StoredSchedule, body: ScheduleChange): Promise<void> {
  const stands = await lockSchedule(trx, project, id);
  if (!stands) throw refused('schedule_not_found');
  const now = await readClock(trx);
  const isNewPlan = givesPlan(body);
  const plan = isNewPlan ? readPlan(body, { now, stands }) : stands;
  const wasEnabled = stands.nextAt !== null;
  const isEnabled = body.enabled === undefined ? wasEnabled : (body.enabled ?? true);
  const stays = !isNewPlan && wasEnabled;
  await changeSchedule(trx, id, {
    ...{ cron: plan.cron, timeZone: plan.timeZone, everySeconds: plan.everySeconds, since: plan.since },
    turn: body.turn ?? stands.turn,
    conversationId: body.conversation_id === undefined ? stands.conversationId : body.conversation_id,
    ifMissed: body.if_missed === undefined ? stands.ifMissed : (body.if_missed ?? 'once'),
    nextAt: isEnabled ? (stays ? stands.nextAt : nextAfter(plan, now)) : null,
  });
}

/** A refusal of the turn names the path in the request of the schedule. */
async function checkTurn(context: ApiContext, asked: Parameters<typeof checkScheduledTurn>[1]): Promise<void> {
  await checkScheduledTurn(context, asked).catch((error: unknown) => {
    if (!(error instanceof RequestRefused) || error.param === 'conversation_id') throw error;
    const { status, code, message, param } = error;
    throw new RequestRefused(status, code, message, param === null ? 'turn' : `turn.${param}`);
  });
}

function nextAfter(plan: Parameters<typeof planOf>[0], now: string): string | null {
  const next = nextTime(planOf(plan), Date.parse(now));
  return next === null ? null : new Date(next).toISOString();
}

/** The number of future planned times that are shown. */
const NEXT = 5;

function present(schedule: ListedSchedule) {
  const { nextAt, now } = schedule;
  return presentSchedule(schedule, nextAt === null ? [] : nextTimes(planOf(schedule), Date.parse(now), NEXT));
}

async function findOwn(db: Db, project: string, id: string): Promise<ListedSchedule> {
  const schedule = isId('sched', id) ? await findSchedule(db, project, id) : undefined;
  if (schedule) return schedule;
  throw refused('schedule_not_found');
}

function tooMany(): RequestRefused {
  const message = `A project has ${MAX_SCHEDULES} schedules at most. Delete a schedule that is not needed.`;
  return new RequestRefused(409, 'too_many_schedules', message);
}

import { z } from 'zod';
import { ScheduledTurnRequest } from '#core/turn/request/schedule.ts';
import { ConversationId, ScheduleId, TurnId } from '../schemas/fields/id.ts';
import { Time } from '../schemas/fields/time.ts';
import { TurnStatus } from '../turns/schemas/turn.ts';

const Firing = z
  .object({
    planned_at: Time.describe('The planned time.'),
    turn_id: TurnId.nullable().describe('The turn that was started. Null if no turn was started.'),
    turn_status: TurnStatus.nullable().describe(
      'The current status of the turn. Null without a turn, or if the turn was deleted.',
    ),
    error: z
      .object({
        code: z.string().describe('The error code that a request for the turn would have had.'),
        message: z.string().describe('A sentence that states the problem and the next step.'),
        param: z.string().nullable().describe('The field that is wrong.'),
      })
      .nullable()
      .describe('The reason why no turn was started. Null if a turn was started.'),
  })
  .meta({
    id: 'Firing',
    description: 'The outcome of a planned time of a schedule.',
    examples: [
      {
        ...{ planned_at: '2026-11-20T08:00:00.000Z', turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx' },
        ...{ turn_status: 'completed', error: null },
      },
    ],
  });

/** A schedule, made by `presentSchedule`. */
export const Schedule = z
  .object({
    id: ScheduleId,
    object: z.literal('schedule'),
    cron: z.string().nullable().describe('The cron expression. Null if the schedule has `every_seconds`.'),
    time_zone: z.string().nullable().describe('The time zone of `cron`. Null without `cron`.'),
    every_seconds: z
      .int()
      .nullable()
      .describe('The seconds between two planned times. Null if the schedule has `cron`.'),
    turn: ScheduledTurnRequest.describe('The turn request that is started at each planned time.'),
    conversation_id: ConversationId.nullable().describe(
      'The conversation of the turns. Null: each turn starts a new conversation.',
    ),
    enabled: z.boolean().describe('Whether the schedule starts turns.'),
    if_missed: z.enum(['once', 'skip']).describe('The rule for times that are more than 10 seconds late.'),
    last: z.array(Firing).describe('The last 20 planned times with their outcome, newest first.'),
    next: z.array(Time).describe('The next 5 planned times. Empty while the schedule is disabled.'),
    created_at: Time,
  })
  .meta({
    id: 'Schedule',
    description: 'A plan, and the turn request that is started at each planned time.',
    examples: [
      {
        ...{ id: 'sched_01kagz8m4pfvbte2n5q7rys3wx', object: 'schedule', cron: '0 9 * * 1-5' },
        ...{ time_zone: 'Europe/Zurich', every_seconds: null, turn: { model: 'sim/demo', input: 'What is new?' } },
        ...{ conversation_id: null, enabled: true, if_missed: 'once', last: [] },
        next: ['2026-11-23T08:00:00.000Z', '2026-11-24T08:00:00.000Z'],
        created_at: '2026-11-20T10:00:00.000Z',
      },
    ],
  });

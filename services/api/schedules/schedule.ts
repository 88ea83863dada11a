import { z } from 'zod';
import { ScheduledTurnRequest } from '#core/turn/request/schedule.ts';
import { ConversationId, ScheduleId, TurnId } from '../schemas/fields/id.ts';
import { Time } from '../schemas/fields/time.ts';
import { TurnStatus } from '../turns/schemas/turn.ts';

const Firing = z
  .object({
    planned_at: Time.describe('The planned time.'),
    turn_id: TurnId.nullable().describe('The turn that was started for it; null where none could be.'),
    turn_status: TurnStatus.nullable().describe(
      'The status of the turn now; null without a turn, or if it is deleted.',
    ),
    error: z
      .object({
        code: z.string().describe('The code that a request for the turn would have been refused with.'),
        message: z.string().describe('What to do about it.'),
        param: z.string().nullable().describe('The field that it is about.'),
      })
      .nullable()
      .describe('Why no turn was started; null where one was.'),
  })
  .meta({
    id: 'Firing',
    description: 'What came of a planned time of a schedule.',
    examples: [
      {
        ...{ planned_at: '2026-11-20T08:00:00.000Z', turn_id: 'turn_01kagz8m4pfvbte2n5q7rys3wx' },
        ...{ turn_status: 'completed', error: null },
      },
    ],
  });

/** A schedule; `presentSchedule` makes it. */
export const Schedule = z
  .object({
    id: ScheduleId,
    object: z.literal('schedule'),
    cron: z.string().nullable().describe('Its cron expression; null where it counts seconds.'),
    time_zone: z.string().nullable().describe('By whose clocks `cron` is read; null without one.'),
    every_seconds: z
      .int()
      .nullable()
      .describe('Seconds between two planned times; null where it has a cron expression.'),
    turn: ScheduledTurnRequest.describe('The turn request that is started at each planned time.'),
    conversation_id: ConversationId.nullable().describe('The conversation of its turns; null: each begins its own.'),
    enabled: z.boolean().describe('Whether it fires.'),
    if_missed: z.enum(['once', 'skip']).describe('What is done about times that are more than 10 seconds late.'),
    last: z.array(Firing).describe('The last 20 planned times with what came of them, newest first.'),
    next: z.array(Time).describe('The next 5 planned times; none while it is disabled.'),
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

import { z } from 'zod';
import { wholeNumber } from './json.ts';
import { startPolicies } from './start-fields.ts';
import { TurnRequest } from './turn.ts';

/** The turn request of a schedule. The schedule decides when its turns begin, so delays and debounce are omitted. */
export const ScheduledTurnRequest = TurnRequest.omit({ start_at: true, delay_seconds: true, debounce_ms: true }).extend(
  {
    on_active_turn: z
      .enum(startPolicies)
      .nullish()
      .describe(
        'If another turn of the conversation is active: wait for it (`enqueue`, the default), skip the planned time (`reject`), or cancel it (`interrupt`).',
      ),
  },
);
export type ScheduledTurnRequest = z.output<typeof ScheduledTurnRequest>;

const LONGEST_EVERY_SECONDS = 2_147_483_647;

const fields = {
  cron: z
    .string()
    .max(200)
    .nullish()
    .describe(
      'Minute, hour, day of the month, month and day of the week: `0 9 * * 1-5`. Give `cron` or `every_seconds`.',
    ),
  time_zone: z
    .string()
    .min(1, 'name a time zone')
    .max(100)
    .nullish()
    .describe(
      'The time zone of `cron`, such as `Europe/Zurich`. UTC by default. A time that the clock skips fires at the jump. When the clock is set back, a plan with `*` or `*/N` in minute or hour fires again in the repeated hour, and a fixed time fires once.',
    ),
  every_seconds: wholeNumber(1, LONGEST_EVERY_SECONDS).describe(
    'Seconds between two planned times, counted from the creation of the schedule.',
  ),
  conversation_id: z
    .string()
    .nullish()
    .describe('The conversation of the schedule’s turns. By default each turn creates its own conversation.'),
  enabled: z
    .boolean()
    .nullish()
    .describe(
      'Whether the schedule fires. True by default. Times that pass while a schedule is disabled do not count as missed.',
    ),
  if_missed: z
    .enum(['once', 'skip'])
    .nullish()
    .describe(
      'Planned times that are more than 10 seconds late: start one turn for the latest time (`once`, the default), or no turn (`skip`).',
    ),
};

const WHAT = 'The request for the turn that each planned time starts.';

/** `POST /v1/schedules`. */
export const ScheduleRequest = z.strictObject({ ...fields, turn: ScheduledTurnRequest.describe(WHAT) }).meta({
  id: 'ScheduleRequest',
  description: 'A schedule to create: its plan, and the turn that each planned time starts.',
  examples: [
    { cron: '0 9 * * 1-5', time_zone: 'Europe/Zurich', turn: { model: 'sim/demo', input: 'What is new?' } },
    { every_seconds: 3600, if_missed: 'skip', turn: { model: 'sim/demo', input: 'Look again.' } },
  ],
});
export type ScheduleRequest = z.output<typeof ScheduleRequest>;

/** `PATCH /v1/schedules/:id`: an omitted field stays, `null` restores the default. */
export const ScheduleChange = z.strictObject({ ...fields, turn: ScheduledTurnRequest.optional().describe(WHAT) }).meta({
  id: 'ScheduleChange',
  description: 'Changes to a schedule. A new plan starts now.',
  examples: [{ enabled: false }, { every_seconds: 60 }],
});
export type ScheduleChange = z.output<typeof ScheduleChange>;

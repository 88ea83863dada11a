import { z } from 'zod';
import { wholeNumber } from './json.ts';
import { startPolicies } from './start-fields.ts';
import { TurnRequest } from './turn.ts';

/** The turn request of a schedule: when its turns may begin, the schedule says, and each planned time starts one of its own. */
export const ScheduledTurnRequest = TurnRequest.omit({ start_at: true, delay_seconds: true, debounce_ms: true }).extend(
  {
    on_active_turn: z
      .enum(startPolicies)
      .nullish()
      .describe('While another turn of the conversation is active: wait for it (the default), 409, or cancel it.'),
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
      'Minute, hour, day of the month, month and day of the week: `0 9 * * 1-5`. Give this or `every_seconds`.',
    ),
  time_zone: z
    .string()
    .min(1, 'name a time zone')
    .max(100)
    .nullish()
    .describe(
      'By whose clocks `cron` is read, such as `Europe/Zurich`; UTC by default. A time that they skip fires at the jump. If ' +
        'they go back, a plan with `*` or `*/N` in minute or hour also fires in the repeated time, and a fixed time fires once.',
    ),
  every_seconds: wholeNumber(1, LONGEST_EVERY_SECONDS).describe(
    'Seconds between two planned times, counted from the creation of the schedule.',
  ),
  conversation_id: z
    .string()
    .nullish()
    .describe('The conversation of its turns. By default each begins one of its own.'),
  enabled: z
    .boolean()
    .nullish()
    .describe('Whether it fires; true by default. What passes while it does not is not missed.'),
  if_missed: z
    .enum(['once', 'skip'])
    .nullish()
    .describe(
      'What is done about planned times that are more than 10 seconds late: one turn for the newest (`once`, the default), or none.',
    ),
};

const WHAT = 'The turn request that is started at each planned time.';

/** `POST /v1/schedules`. */
export const ScheduleRequest = z.strictObject({ ...fields, turn: ScheduledTurnRequest.describe(WHAT) }).meta({
  id: 'ScheduleRequest',
  description: 'A schedule to be created: when, and the turn request that is started then.',
  examples: [
    { cron: '0 9 * * 1-5', time_zone: 'Europe/Zurich', turn: { model: 'sim/demo', input: 'What is new?' } },
    { every_seconds: 3600, if_missed: 'skip', turn: { model: 'sim/demo', input: 'Look again.' } },
  ],
});
export type ScheduleRequest = z.output<typeof ScheduleRequest>;

/** `PATCH /v1/schedules/:id`: what is left out stays, `null` is the default again. */
export const ScheduleChange = z.strictObject({ ...fields, turn: ScheduledTurnRequest.optional().describe(WHAT) }).meta({
  id: 'ScheduleChange',
  description: 'What to change of a schedule. A new plan counts from now.',
  examples: [{ enabled: false }, { every_seconds: 60 }],
});
export type ScheduleChange = z.output<typeof ScheduleChange>;

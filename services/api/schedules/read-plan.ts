import { RequestRefused } from '#core/failure.ts';
import { isTimeZone } from '#core/schedule/local-time.ts';
import { nextTime, readCron } from '#core/schedule/next-time.ts';
import type { ScheduleChange } from '#core/turn/request/schedule.ts';
import { planOf, type StoredPlan } from '#core/turn/schedule/schedule.ts';

type PlanFields = Pick<ScheduleChange, 'cron' | 'time_zone' | 'every_seconds'>;

/** Returns whether a request gives a plan, or a part of a plan. */
export function givesPlan({ cron, time_zone, every_seconds }: PlanFields): boolean {
  return typeof cron === 'string' || typeof every_seconds === 'number' || time_zone !== undefined;
}

/**
 * Returns the plan of a request, from `now`. A change keeps the parts that it does not name. Refuses a plan that has
 * no future time.
 */
export function readPlan(given: PlanFields, { now, stands }: { now: string; stands?: StoredPlan }): StoredPlan {
  const { cron, everySeconds } = planFields(given, stands);
  if (everySeconds !== null) {
    if (given.time_zone) throw invalid('time_zone', '`time_zone` requires `cron`. Leave it out, or set `cron`.');
    return { cron: null, timeZone: null, everySeconds, since: now };
  }
  if (cron === null) {
    const message = 'The plan is missing. Set `cron`, for example "0 9 * * 1-5", or `every_seconds`.';
    throw new RequestRefused(400, 'missing_field', message, 'cron');
  }
  const timeZone = given.time_zone === undefined ? stands?.timeZone : given.time_zone;
  return checkCron({ cron, timeZone: timeZone ?? 'UTC', everySeconds: null, since: now });
}

/** Returns the given plan fields, or the stored fields if neither is given. */
function planFields(
  { cron = null, every_seconds: everySeconds = null }: PlanFields,
  stands: StoredPlan | undefined,
): Pick<StoredPlan, 'cron' | 'everySeconds'> {
  if (cron !== null && everySeconds !== null)
    throw invalid('every_seconds', 'Give `cron` or `every_seconds`, not both.');
  return stands && cron === null && everySeconds === null ? stands : { cron, everySeconds };
}

function checkCron(plan: StoredPlan & { cron: string; timeZone: string }): StoredPlan {
  if (!isTimeZone(plan.timeZone))
    throw invalid('time_zone', '`time_zone` is not valid. Name a time zone, for example Europe/Zurich or UTC.');
  checkExpression(plan.cron);
  if (nextTime(planOf(plan), Date.parse(plan.since)) === null)
    throw invalid('cron', '`cron` never matches a time. Check the day of the month and the month.');
  return plan;
}

const FIELDS = ['minute', 'hour', 'day of the month', 'month', 'day of the week'];

/** Finds a wrong field by replacing the other four with `*`. If no field is wrong, the number of fields is wrong. */
function checkExpression(cron: string): void {
  if (isExpression(cron)) return;
  const given = cron.trim().split(/\s+/);
  const wrong = given.findIndex(
    (field, index) => !isExpression(FIELDS.map((_, at) => (at === index ? field : '*')).join(' ')),
  );
  if (given.length !== FIELDS.length || wrong < 0)
    throw invalid('cron', `\`cron\` is not valid. Give five fields: ${FIELDS.join(', ')}, for example "0 9 * * 1-5".`);
  throw invalid(
    'cron',
    `The ${FIELDS[wrong]} of \`cron\` cannot be "${given[wrong]}". Give ${RANGES[wrong]}, a list, a range, a step or *.`,
  );
}

const RANGES = ['0 to 59', '0 to 23', '1 to 31', '1 to 12 or JAN to DEC', '0 to 7 or MON to SUN'];

function isExpression(cron: string): boolean {
  try {
    readCron(cron);
    return true;
  } catch {
    return false;
  }
}

function invalid(param: string, message: string): RequestRefused {
  return new RequestRefused(400, 'invalid_value', message, param);
}

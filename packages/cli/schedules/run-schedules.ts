import { styleText } from 'node:util';
import type { CallOptions, Pawl, Schedule } from '../../client/connect-pawl.ts';
import type { Cli } from '../cli.ts';
import { showLines } from '../lists/show-lines.ts';
import { makeVisible } from '../make-visible.ts';
import type { SchedulesCommand } from './read-schedules.ts';

/** Lists schedules, or does something with one of them; returns the exit code. */
export async function runSchedules(
  { schedules }: Pick<Pawl, 'schedules'>,
  command: SchedulesCommand & CallOptions,
  cli: Cli,
): Promise<number> {
  const { signal, patienceMs } = command;
  const options = { signal, patienceMs };
  const show = (schedule: Schedule) => showLines([schedule], wholeOf, command, cli);
  switch (command.action) {
    case 'list':
      for await (const schedule of schedules.list(options)) showLines([schedule], lineOf, command, cli);
      return 0;
    case 'create':
      return show(await schedules.create(command.request, options));
    case 'show':
      return show(await schedules.get(command.scheduleId, options));
    case 'enable':
    case 'disable':
      return show(await schedules.update(command.scheduleId, { enabled: command.action === 'enable' }, options));
    case 'delete': {
      await schedules.delete(command.scheduleId, options);
      const deleted = { id: command.scheduleId, object: 'schedule', deleted: true };
      cli.stdout.write(command.isJson ? `${JSON.stringify(deleted)}\n` : `${command.scheduleId} is deleted.\n`);
      return 0;
    }
  }
}

/** A schedule in a line: its plan, and its next time. */
function lineOf({ id, cron, time_zone, every_seconds, enabled, next }: Schedule): string {
  const plan = cron === null ? `every ${every_seconds} s` : `${cron} (${time_zone})`;
  const [first] = next;
  return `${id}  ${plan}  ${enabled && first ? `next ${timeOf(first)}` : styleText('yellow', 'disabled')}`;
}

/** The same with what came of its last times, newest first. */
function wholeOf(schedule: Schedule): string {
  const last = schedule.last.map(({ planned_at, turn_id, error }) => {
    const outcome = turn_id ?? styleText('red', makeVisible(`${error?.code}: ${error?.message}`));
    return `  ${timeOf(planned_at)}  ${outcome}`;
  });
  return [lineOf(schedule), ...last].join('\n');
}

function timeOf(time: string): string {
  return `${time.slice(0, 19).replace('T', ' ')}Z`;
}

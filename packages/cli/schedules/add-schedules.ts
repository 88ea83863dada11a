import { styleText } from 'node:util';
import { type Command, Option } from 'commander';
import type { CallOptions, Schedule, Schedules } from '../../client/connect-pawl.ts';
import type { Act, Context, JsonOption } from '../cli.ts';
import { addGroup } from '../groups/add-group.ts';
import { showLines, timeOf } from '../lists/show-lines.ts';
import { makeVisible } from '../make-visible.ts';
import { readIdWith, readNumberFrom } from '../read-values.ts';
import { addTurnOptions, DEFAULT_MODEL, modelOf, type TurnOptions, turnFields } from '../turn-options.ts';

type CreateOptions = TurnOptions &
  JsonOption & { every?: number; ifMissed?: 'once' | 'skip' } & {
    [Name in 'cron' | 'timeZone' | 'conversation']?: string;
  };

type Ask = (schedules: Schedules, id: string, options: CallOptions) => Promise<Schedule>;

const OF_ONE: [string, string, Ask][] = [
  ['show', 'show a schedule and its last planned times', (all, id, options) => all.get(id, options)],
  ['enable', 'enable a schedule', (all, id, options) => all.update(id, { enabled: true }, options)],
  ['disable', 'disable a schedule', (all, id, options) => all.update(id, { enabled: false }, options)],
];

/** Adds `schedules` with its subcommands. Without a subcommand, lists the schedules. */
export function addSchedules(program: Command, act: Act): void {
  const add = addGroup(program, 'schedules', 'list, create and change schedules');
  const addForOne = (name: string, description: string) =>
    add(name, description).argument('<sched_…>', 'the id of the schedule', readIdWith('sched_'));

  add('list', 'list all schedules', true).action(act(listSchedules));
  addTurnOptions(add('create', 'create a schedule for an input'), `the model, ${DEFAULT_MODEL} by default`)
    .argument('<input...>', 'the input of its turns')
    .option('--cron <fields>', 'five fields: minute, hour, day, month, day of the week')
    .option('--time-zone <zone>', 'the time zone of --cron, UTC by default')
    .option('--every <seconds>', 'the seconds between two turns', readNumberFrom(1))
    .addOption(new Option('--if-missed <what>', 'the turns for missed times').choices(['once', 'skip']))
    .option('--conversation <conv_…>', 'the conversation of its turns')
    .action(act(createSchedule));
  for (const [name, description, ask] of OF_ONE)
    addForOne(name, description).action(
      act(async ({ pawl, cli, options }: Context, id: string, given: JsonOption) =>
        showLines([await ask(pawl.schedules, id, options)], wholeOf, given, cli),
      ),
    );
  addForOne('delete', 'delete a schedule and keep its turns').action(act(deleteSchedule));
}

async function listSchedules({ pawl, cli, options }: Context, given: JsonOption): Promise<number> {
  for await (const schedule of pawl.schedules.list(options)) showLines([schedule], lineOf, given, cli);
  return 0;
}

async function createSchedule({ pawl, cli, options }: Context, words: string[], given: CreateOptions): Promise<number> {
  const { cron, timeZone: time_zone, every: every_seconds, ifMissed: if_missed, conversation: conversation_id } = given;
  const turn = { ...turnFields(given), model: modelOf(given, conversation_id), input: words.join(' ') };
  const request = { cron, time_zone, every_seconds, conversation_id, if_missed, turn };
  return showLines([await pawl.schedules.create(request, options)], wholeOf, given, cli);
}

async function deleteSchedule({ pawl, cli, options }: Context, id: string, { json }: JsonOption): Promise<number> {
  await pawl.schedules.delete(id, options);
  const deleted = { id, object: 'schedule', deleted: true };
  cli.stdout.write(json ? `${JSON.stringify(deleted)}\n` : `${id} was deleted.\n`);
  return 0;
}

/** Returns a line with a schedule, its plan and its next time. */
function lineOf({ id, cron, time_zone, every_seconds, enabled, next }: Schedule): string {
  const plan = cron === null ? `every ${every_seconds} s` : `${cron} (${time_zone})`;
  const [first] = next;
  return `${id}  ${plan}  ${enabled && first ? `next ${timeOf(first)}` : styleText('yellow', 'disabled')}`;
}

/** Returns the same line, and a line for each recent firing, newest first. */
function wholeOf(schedule: Schedule): string {
  const last = schedule.last.map(({ planned_at, turn_id, error }) => {
    const outcome = turn_id ?? styleText('red', makeVisible(`${error?.code}: ${error?.message}`));
    return `  ${timeOf(planned_at)}  ${outcome}`;
  });
  return [lineOf(schedule), ...last].join('\n');
}

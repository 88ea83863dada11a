import type { ScheduleRequest } from '../../client/connect-pawl.ts';
import { CommandMisused, parseArguments } from '../parse-arguments.ts';

/** What `pawl schedules` does. */
export type SchedulesCommand = { isJson: boolean } & (
  | { action: 'list' }
  | { action: 'create'; request: ScheduleRequest }
  | { action: 'show' | 'enable' | 'disable' | 'delete'; scheduleId: string }
);

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const MODEL = 'sim/demo';
const ACTIONS = ['show', 'enable', 'disable', 'delete'] as const;

/** Reads what `pawl schedules` does. Throws CommandMisused. */
export function readSchedules(args: string[]): SchedulesCommand {
  const plan = { cron: TEXT, 'time-zone': TEXT, every: TEXT, 'if-missed': TEXT };
  const turn = { model: TEXT, conversation: TEXT, instructions: TEXT, tools: TEXT };
  const { values, positionals } = parseArguments(args, { ...plan, ...turn, json: FLAG });
  const isJson = values.json === true;
  const [name = 'list', ...rest] = positionals;
  if (name === 'list' && rest.length === 0) return { action: 'list', isJson };
  if (name === 'create') return { action: 'create', request: readRequest(values, rest.join(' ')), isJson };
  const action = ACTIONS.find((known) => known === name);
  if (!action) throw new CommandMisused(`“schedules” takes list, create, ${ACTIONS.join(', ')}, and no “${name}”.`);
  const [scheduleId, ...more] = rest;
  if (!scheduleId?.startsWith('sched_') || more.length > 0)
    throw new CommandMisused(`Give the id of one schedule: pawl schedules ${action} sched_…`);
  return { action, scheduleId, isJson };
}

type Given = {
  [Name in 'cron' | 'time-zone' | 'every' | 'if-missed' | 'model' | 'conversation']?: string | undefined;
} & {
  instructions?: string | undefined;
  tools?: string | undefined;
};

function readRequest(given: Given, input: string): ScheduleRequest {
  const { cron, every, conversation: conversation_id, instructions, tools } = given;
  const { 'time-zone': time_zone, 'if-missed': missed, model = conversation_id ? undefined : MODEL } = given;
  if (input === '') throw new CommandMisused('Say what its turns are about: pawl schedules create --every 60 "Hello".');
  if (missed !== undefined && missed !== 'once' && missed !== 'skip')
    throw new CommandMisused('--if-missed is once or skip.');
  const every_seconds = every === undefined ? undefined : Number(every);
  if (every_seconds !== undefined && !Number.isInteger(every_seconds))
    throw new CommandMisused('--every is a whole number of seconds.');
  const turn = { input, model, instructions, tools: tools?.split(',').map((tool) => tool.trim()) };
  return { cron, time_zone, every_seconds, conversation_id, if_missed: missed, turn };
}

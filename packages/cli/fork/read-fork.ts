import type { ForkRequest, RerunRequest } from '../../client/connect-pawl.ts';
import { CommandMisused, parseArguments } from '../parse-arguments.ts';

/** A fork or a rerun of a turn, which is watched then. */
export type ForkCommand = { turnId: string; request: ForkRequest; isJson: boolean };
export type RerunCommand = { turnId: string; request: RerunRequest; isJson: boolean };

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const OWN = { model: TEXT, fallback: TEXT, tools: TEXT, instructions: TEXT, json: FLAG };

/** Reads what follows `pawl fork`. Throws CommandMisused. */
export function readFork(args: string[]): ForkCommand {
  const { values, positionals } = parseArguments(args, { ...OWN, 'after-round': TEXT });
  const [turnId, ...said] = positionals;
  const { 'after-round': given } = values;
  const after_round = given === undefined ? undefined : Number(given);
  if (after_round !== undefined && (given === '' || !Number.isInteger(after_round) || after_round < 0))
    throw new CommandMisused('The round is a whole number, 0 for before the first.');
  const input = said.length > 0 ? said.join(' ') : undefined;
  const request = { ...overridesIn(values), after_round, input };
  return { turnId: readTurnId('fork', turnId), request, isJson: values.json === true };
}

/** Reads what follows `pawl rerun`. Throws CommandMisused. */
export function readRerun(args: string[]): RerunCommand {
  const { values, positionals } = parseArguments(args, { ...OWN, 'run-tools': FLAG });
  const [turnId, ...more] = positionals;
  if (more.length > 0) throw new CommandMisused('“rerun” takes one turn and no input: it has that of the turn.');
  const tool_results: RerunRequest['tool_results'] = values['run-tools'] ? 'run' : undefined;
  const request = { ...overridesIn(values), tool_results };
  return { turnId: readTurnId('rerun', turnId), request, isJson: values.json === true };
}

type Values = Partial<Record<'model' | 'fallback' | 'tools' | 'instructions', string>>;

function overridesIn({ model, fallback, tools, instructions }: Values) {
  return { model, fallback_models: namesIn(fallback), tools: namesIn(tools), instructions };
}

function namesIn(list: string | undefined): string[] | undefined {
  return list?.split(',').map((name) => name.trim());
}

function readTurnId(name: string, turnId: string | undefined): string {
  if (turnId?.startsWith('turn_')) return turnId;
  throw new CommandMisused(`Give the id of one turn: pawl ${name} turn_…`);
}

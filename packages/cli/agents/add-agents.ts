import { type Command, InvalidArgumentError } from 'commander';
import type { Agent, AgentChanges } from '../../client/connect-pawl.ts';
import type { Act, Context, JsonOption } from '../cli.ts';
import { addGroup } from '../groups/add-group.ts';
import { showLines } from '../lists/show-lines.ts';
import { readNumberFrom } from '../read-values.ts';
import { addConfigOptions, type ConfigOptions, configFields } from '../turn-options.ts';
import { agentLine, changedFields, changeLine, versionLine, wholeAgent } from './agent-line.ts';
import { readAgentFile, readAgentLabel } from './read-agent.ts';

type FieldOptions = JsonOption & ConfigOptions & { file?: AgentChanges };
type ShowOptions = JsonOption & { version?: number };

const NAME = 'the name or the id of the agent';
const readVersion = readNumberFrom(1);

/** Adds `agents` with its subcommands. Without a subcommand, lists the agents. */
export function addAgents(program: Command, act: Act): void {
  const add = addGroup(program, 'agents', 'list, create and change agents and their labels');
  const addForOne = (name: string, description: string) => add(name, description).argument('<name>', NAME);

  add('list', 'list all agents', true).action(act(listAgents));
  addForOne('show', 'show an agent and its configuration')
    .option('--version <n>', 'a version, by default the current version', readVersion)
    .action(act(showAgent));
  addFields(add('create', 'create an agent').argument('<name>', 'the name of the agent'), 'the model').action(
    act(createAgent),
  );
  addFields(
    addForOne('change', 'create the next version of an agent'),
    'the model, by default that of the version before',
  ).action(act(changeAgent));
  addForOne('versions', 'list the versions of an agent, newest first').action(act(listVersions));
  addForOne('label', 'set a label to a version, or to versions with weights: 7=90 8=10')
    .argument('<label>', 'the label')
    .argument('<versions...>', 'a version, or versions with weights')
    .action(act(setLabel));
  addForOne('unlabel', 'delete a label').argument('<label>', 'the label').action(act(deleteLabel));
  addForOne('diff', 'show the fields that differ between two versions')
    .argument('<before>', 'a version', readVersion)
    .argument('<after>', 'another version', readVersion)
    .action(act(diffVersions));
  addForOne('delete', 'delete an agent and keep its turns').action(act(deleteAgent));
}

function addFields(command: Command, model: string): Command {
  return addConfigOptions(command, model).option(
    '--file <path>',
    'a JSON file with fields of the agent, which options replace',
    readAgentFile,
  );
}

async function listAgents({ pawl, cli, options }: Context, given: JsonOption): Promise<number> {
  for await (const agent of pawl.agents.list(options)) showLines([agent], agentLine, given, cli);
  return 0;
}

async function showAgent({ pawl, cli, options }: Context, name: string, given: ShowOptions): Promise<number> {
  return showLines([await pawl.agents.get(name, { ...options, version: given.version })], wholeAgent, given, cli);
}

async function createAgent({ pawl, cli, options }: Context, name: string, given: FieldOptions): Promise<number> {
  const { version: _, ...fields } = fieldsOf(given);
  return showLines([await pawl.agents.create({ ...fields, name }, options)], agentLine, given, cli);
}

async function changeAgent({ pawl, cli, options }: Context, name: string, given: FieldOptions): Promise<number> {
  const changes = fieldsOf(given);
  if (Object.keys(changes).length === 0)
    throw new InvalidArgumentError('The changes are missing. Give an option, such as --instructions or --file.');
  return showLines([await pawl.agents.change(name, changes, options)], agentLine, given, cli);
}

/** Returns the fields of a request. Options replace the fields of the file. */
function fieldsOf({ file, ...given }: FieldOptions): AgentChanges {
  const fields = Object.entries(configFields(given)).filter(([, value]) => value !== undefined);
  return { ...file, ...Object.fromEntries(fields) };
}

async function listVersions({ pawl, cli, options }: Context, name: string, given: JsonOption): Promise<number> {
  for await (const agent of pawl.agents.versions(name, options)) showLines([agent], versionLine, given, cli);
  return 0;
}

async function setLabel(
  { pawl, cli, options }: Context,
  ...[name, label, versions, given]: [string, string, string[], JsonOption]
): Promise<number> {
  const agent = await pawl.agents.setLabel(name, label, readAgentLabel(versions), options);
  return showLines([agent], agentLine, given, cli);
}

async function deleteLabel(context: Context, name: string, label: string, given: JsonOption): Promise<number> {
  await context.pawl.agents.deleteLabel(name, label, context.options);
  return showDeleted(`${name}@${label}`, given, context);
}

async function deleteAgent(context: Context, name: string, given: JsonOption): Promise<number> {
  await context.pawl.agents.delete(name, context.options);
  return showDeleted(name, given, context);
}

function showDeleted(name: string, given: JsonOption, { cli }: Context): number {
  return showLines([{ name, deleted: true }], () => `${name} was deleted.`, given, cli);
}

async function diffVersions(
  { pawl, cli, options }: Context,
  ...[name, before, after, given]: [string, number, number, JsonOption]
): Promise<number> {
  const read = (version: number): Promise<Agent> => pawl.agents.get(name, { ...options, version });
  return showLines(changedFields(await read(before), await read(after)), changeLine, given, cli);
}

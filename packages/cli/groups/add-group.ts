import { Command } from 'commander';
import type { JsonOption } from '../cli.ts';

/** Adds a command of the group. A call without a subcommand runs the default command. */
export type AddCommand = (name: string, description: string, isDefault?: boolean) => Command;

/** Adds a command with subcommands, which all take `--json`. Returns the function that adds a subcommand. */
export function addGroup(program: Command, name: string, description: string): AddCommand {
  const group = program
    .command(name)
    .description(description)
    .option('--json', 'write lines of JSON, for every command')
    .configureHelp({ subcommandTerm: termOf })
    .hook('preSubcommand', enterCommand);
  return (command, text, isDefault = false) =>
    group.command(command, { isDefault }).description(text).option('--json', 'write lines of JSON');
}

/** Returns a subcommand with its arguments. Its options are in its own help. */
function termOf(command: Command): string {
  const { registeredArguments: all } = command;
  const named = all.map((each) => {
    const name = `${each.name()}${each.variadic ? '...' : ''}`;
    return each.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...named].join(' ');
}

/**
 * Passes `--json` to the subcommand. Throws CommanderError if the default subcommand received an unknown word. Only a
 * program without a default explains an unknown command and suggests another.
 */
function enterCommand(group: Command, inner: Command): void {
  if (group.opts<JsonOption>().json) inner.setOptionValue('json', true);
  const [word = '-'] = group.args;
  if (word === inner.name() || word.startsWith('-')) return;
  const strict = new Command().copyInheritedSettings(group);
  for (const command of group.commands) strict.command(command.name());
  strict.parse([word], { from: 'user' });
}

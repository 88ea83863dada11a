import { createRequire } from 'node:module';
import { Command } from 'commander';
import { addAgents } from './agents/add-agents.ts';
import { addBulk } from './bulk/add-bulk.ts';
import { addChat } from './chat/add-chat.ts';
import type { Act, Cli } from './cli.ts';
import { addForks } from './fork/add-forks.ts';
import { addLists } from './lists/add-lists.ts';
import { addRun } from './run/add-run.ts';
import { addSchedules } from './schedules/add-schedules.ts';
import { addTurnCommands } from './turn-commands.ts';

const HELP_WIDTH = 80;

/** Makes the program with all commands. The program throws CommanderErrors and writes help to the standard output. */
export function makeProgram({ stdout }: Cli, act: Act): Command {
  const program = new Command('pawl')
    .usage('<command>')
    .version(version(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print the help of pawl or of a command')
    .helpCommand('help [command]', 'print the help of a command')
    // A subcommand may have its own option `--version`.
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: () => {},
      outputError: () => {},
      getOutHelpWidth: () => HELP_WIDTH,
    })
    .addHelpText('afterAll', NOTES);
  addRun(program, act);
  addChat(program, act);
  addTurnCommands(program, act);
  addForks(program, act);
  addBulk(program, act);
  addLists(program, act);
  addSchedules(program, act);
  addAgents(program, act);
  return program;
}

/** Returns the version of this package. Finds it by name, since the packed package has another path. */
function version(): string {
  return createRequire(import.meta.url)('@pawl-turns/cli/package.json').version;
}

const NOTES = `
With --json each event, turn, agent, worker, queue or batch is a line of JSON.
Ctrl-C leaves a turn, and the turn continues.
PAWL_URL is the address of the API: http://127.0.0.1:8080 by default, and
localhost:8080 is enough. PAWL_API_KEY is the key. NO_COLOR turns colours off.
Exit codes: 0 completed, 1 another end or an error, 2 a wrong command, 3 a turn
that waits for an answer. A chat that reads a pipe also exits with 1 if a line
was refused.`;

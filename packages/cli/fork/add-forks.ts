import type { Command } from 'commander';
import type { Act, Context, JsonOption } from '../cli.ts';
import { followTurn } from '../follow-turn.ts';
import { readIdWith, readNumberFrom } from '../read-values.ts';
import { addTurnOptions, type TurnOptions, turnFields } from '../turn-options.ts';

type ForkOptions = TurnOptions & JsonOption & { afterRound?: number };
type RerunOptions = TurnOptions & JsonOption & { runTools?: boolean };

/** Adds `fork` and `rerun`, which watch the turn that they start. */
export function addForks(program: Command, act: Act): void {
  addOne(program, 'fork', 'continue from a round of a turn, in a new conversation')
    .argument('[input...]', 'the input of the new turn')
    .option(
      '--after-round <n>',
      'the last round to keep, 0 for no round, by default the last answered round',
      readNumberFrom(0),
    )
    .action(act(forkTurn));
  addOne(program, 'rerun', 'run a turn again (equal calls get their recorded results)')
    .option('--run-tools', 'run all calls')
    .action(act(rerunTurn));
}

function addOne(program: Command, name: string, description: string): Command {
  const command = program
    .command(name)
    .description(`${description}. Options replace the options of the turn.`)
    .argument('<turn_…>', 'the id of the turn', readIdWith('turn_'))
    .option('--json', 'write lines of JSON');
  return addTurnOptions(command, 'the model');
}

async function forkTurn({ pawl, cli, options }: Context, turnId: string, words: string[], given: ForkOptions) {
  const input = words.length > 0 ? words.join(' ') : undefined;
  const request = { ...turnFields(given), after_round: given.afterRound, input };
  return followTurn(await pawl.turns.fork(turnId, request, options), { isJson: given.json === true }, cli);
}

async function rerunTurn({ pawl, cli, options }: Context, turnId: string, given: RerunOptions) {
  const request = { ...turnFields(given), ...(given.runTools && { tool_results: 'run' as const }) };
  return followTurn(await pawl.turns.rerun(turnId, request, options), { isJson: given.json === true }, cli);
}

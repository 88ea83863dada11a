import type { Command } from 'commander';
import type { Act, Context, JsonOption } from './cli.ts';
import { followTurn } from './follow-turn.ts';
import { readIdWith } from './read-values.ts';

const COMMANDS = {
  watch: [watchTurn, 'watch a turn from its beginning, and decide about calls that need approval'],
  retry: [retryTurn, 'continue a failed turn from its last checkpoint, and watch it'],
  cancel: [cancelTurn, 'cancel a turn'],
  delete: [deleteTurn, 'delete a turn that has ended, with all its content'],
} as const;

export function addTurnCommands(program: Command, act: Act): void {
  for (const [name, [work, description]] of Object.entries(COMMANDS))
    program
      .command(name)
      .description(description)
      .argument('<turn_…>', 'the id of the turn', readIdWith('turn_'))
      .option('--json', 'write lines of JSON')
      .action(act(work));
}

async function watchTurn({ pawl, cli, options }: Context, turnId: string, { json = false }: JsonOption) {
  const turn = pawl.turns.attach(turnId);
  await turn.get(options);
  return followTurn(turn, { isJson: json }, cli);
}

async function retryTurn({ pawl, cli, options }: Context, turnId: string, { json = false }: JsonOption) {
  const turn = pawl.turns.attach(turnId);
  const { last_event: after } = await turn.get(options);
  await turn.retry(options);
  return followTurn(turn, { isJson: json, after }, cli);
}

async function cancelTurn({ pawl, cli, options }: Context, turnId: string, { json }: JsonOption) {
  const turn = await pawl.turns.attach(turnId).cancel(options);
  cli.stdout.write(json ? `${JSON.stringify(turn)}\n` : `${turn.id} was cancelled.\n`);
  return 0;
}

async function deleteTurn({ pawl, cli, options }: Context, turnId: string, { json }: JsonOption) {
  await pawl.turns.delete(turnId, options);
  const deleted = { id: turnId, object: 'turn', deleted: true };
  cli.stdout.write(json ? `${JSON.stringify(deleted)}\n` : `${turnId} was deleted.\n`);
  return 0;
}

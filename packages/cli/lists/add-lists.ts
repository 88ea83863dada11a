import type { Command } from 'commander';
import type { UsageQuery } from '../../client/connect-pawl.ts';
import type { Act, Context, JsonOption } from '../cli.ts';
import { readKnownValues, readNumberFrom, readPairs } from '../read-values.ts';
import { listTurns, STATUSES, type Status } from './list-turns.ts';
import { batchLine, GROUPS, queueLine, showLines, usageLine, workerLine } from './show-lines.ts';

type TurnsOptions = JsonOption & { limit: number; status?: Status[]; metadata?: Record<string, string> } & {
  [Name in 'model' | 'agent' | 'q' | 'error']?: string;
};
type UsageOptions = JsonOption & Pick<UsageQuery, 'from' | 'to'> & { by?: UsageQuery['groupBy'] };

export function addLists(program: Command, act: Act): void {
  const add = (name: string, description: string) =>
    program.command(name).description(description).option('--json', 'write lines of JSON');
  add('turns', 'list turns, newest first')
    .option('--status <statuses>', `turns with one of: ${STATUSES.join(', ')}`, readKnownValues(STATUSES))
    .option('--model <provider/model>', 'turns with this model')
    .option('--agent <name>', 'turns with this agent: support or support@7')
    .option('--q <words>', 'turns with all these words in input or output')
    .option('--error <code>', 'turns that failed with this code')
    .option('--metadata <key=value>', 'turns with this pair (repeatable)', readPairs)
    .option('--limit <n>', 'the number of turns', readNumberFrom(1), 20)
    .action(act(showTurns));
  add('usage', 'show the usage of the last 30 days')
    .option('--from <day>', 'the first day or time, in UTC')
    .option('--to <day>', 'the end, which is not included')
    .option('--by <groups>', `a line for each ${GROUPS.join(', ')}`, readKnownValues(GROUPS))
    .action(act(showUsageBy));
  add('workers', 'list the live workers (requires an admin key)').action(
    act(async ({ pawl, cli, options }: Context, given: JsonOption) =>
      showLines(await pawl.workers(options), workerLine, given, cli),
    ),
  );
  add('queues', 'list the queues and their jobs (requires an admin key)').action(
    act(async ({ pawl, cli, options }: Context, given: JsonOption) =>
      showLines(await pawl.queues(options), queueLine, given, cli),
    ),
  );
  add('batches', 'list the batches and their rounds (requires an admin key)').action(
    act(async ({ pawl, cli, options }: Context, given: JsonOption) => {
      const { data, waiting } = await pawl.batches({ limit: 100, ...options });
      return showLines([...data, ...waiting], batchLine, given, cli);
    }),
  );
}

function showTurns({ pawl, cli, options }: Context, given: TurnsOptions): Promise<number> {
  const { error: errorCode, limit, json = false, ...filter } = given;
  const turns = pawl.turns.list({ ...options, ...filter, errorCode, limit: Math.min(limit, 100) });
  return listTurns(turns, { limit, isJson: json }, cli);
}

async function showUsageBy({ pawl, cli, options }: Context, { from, to, by, ...given }: UsageOptions) {
  return showLines(await pawl.usage.get({ from, to, groupBy: by, ...options }), usageLine, given, cli);
}

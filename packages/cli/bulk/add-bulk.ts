import { Argument, type Command, InvalidArgumentError } from 'commander';
import type { BulkRequest } from '../../client/connect-pawl.ts';
import type { Act, Context, JsonOption } from '../cli.ts';
import { readPairs } from '../read-values.ts';

type Filter = BulkRequest['filter'];
type BulkOptions = JsonOption & { dryRun?: boolean } & Pick<Filter, 'status' | 'model' | 'metadata' | 'q'> & {
    [Name in 'conversation' | 'error' | 'after' | 'before']?: string;
  };

/** Adds `bulk`, which applies an action to all matching turns and waits until it has ended. */
export function addBulk(program: Command, act: Act): void {
  program
    .command('bulk')
    .description('cancel, retry or delete all matching turns, and wait. Options as in GET /v1/turns.')
    .addArgument(new Argument('<action>', 'the action').choices(['cancel', 'retry', 'delete']))
    .option('--status <statuses>', 'turns with one of these statuses')
    .option('--model <provider/model>', 'turns with this model')
    .option('--conversation <conv_…>', 'turns of this conversation')
    .option('--error <code>', 'turns that failed with this code')
    .option('--after <time>', 'turns created after this time')
    .option('--before <time>', 'turns created before this time')
    .option('--q <words>', 'turns with all these words')
    .option('--metadata <key=value>', 'turns with this pair (repeatable)', readPairs)
    .option('--dry-run', 'only count the matching turns')
    .option('--json', 'write JSON')
    .action(act(workBulk));
}

async function workBulk(
  { pawl, cli: { stdout }, options }: Context,
  action: BulkRequest['action'],
  { dryRun: isDryRun, json: isJson, ...given }: BulkOptions,
): Promise<number> {
  const request = { action, filter: filterOf(given) };
  if (isDryRun) {
    const matched = await pawl.bulk.count(request, options);
    stdout.write(
      isJson ? `${JSON.stringify({ matched })}\n` : `${turns(matched)} match${matched === 1 ? 'es' : ''}.\n`,
    );
    return 0;
  }
  const { id, matched } = await pawl.bulk.create(request, options);
  if (!isJson) stdout.write(`${id}: ${turns(matched)}\n`);
  const bulk = await pawl.bulk.wait(id, options);
  if (isJson) stdout.write(`${JSON.stringify(bulk)}\n`);
  else {
    for (const { turn_id, code } of bulk.errors) stdout.write(`${turn_id}  ${code}\n`);
    stdout.write(`${bulk.done} done, ${bulk.failed} failed.\n`);
  }
  return bulk.failed === 0 ? 0 : 1;
}

function filterOf({ conversation, error, after, before, ...same }: Omit<BulkOptions, 'dryRun' | 'json'>): Filter {
  const filter = {
    ...same,
    ...(conversation !== undefined && { conversation_id: conversation }),
    ...(error !== undefined && { error_code: error }),
    ...(after !== undefined && { created_after: after }),
    ...(before !== undefined && { created_before: before }),
  };
  if (Object.keys(filter).length === 0)
    throw new InvalidArgumentError('The filter is missing. Select turns, for example with --status queued.');
  return filter;
}

function turns(count: number): string {
  return count === 1 ? '1 turn' : `${count} turns`;
}

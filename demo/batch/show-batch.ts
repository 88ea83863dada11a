import { join } from 'node:path';
import { styleText } from 'node:util';
import type { Screen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import type { DemoRun } from '../run-to-end.ts';
import { type Pawl, startPawl } from '../start-pawl.ts';
import { brokenPromises, type Count, countReports, type ReportCounts } from './count-reports.ts';
import { startNightProvider } from './night-provider.ts';
import { runReports } from './run-reports.ts';
import { MODEL, PRICES, ROUNDS, SHOPS } from './shop-reports.ts';
import { watchBatches } from './watch-batches.ts';

/** Shows turns that finish by batch while a worker is killed, and their cost with and without batches. */
export async function showBatch(screen: Screen, run: DemoRun): Promise<void> {
  const provider = await startNightProvider(run);
  const pawl = await startPawl(screen, run, (part) => ({ ...SETTINGS, ...provider.settingsOf(part) }));

  screen.gap();
  screen.say(`${SHOPS.length} turns of ${ROUNDS} rounds first run without batches, to compare the cost`);
  const directTurns = await runReports(pawl.url, undefined, run);
  const before = { direct: provider.direct(), runs: pawl.journal.read().length };

  showRequest(pawl, screen);
  const watch = watchBatches(provider, pawl, screen);
  run.atTheEnd(() => watch.stopWaiting());
  const turns = await runReports(pawl.url, 'batch', run);
  screen.say(`${turns.filter(({ status }) => status === 'completed').length} turns are completed`);

  const counts = countReports({
    ...{ turns, directTurns, batches: provider.created(), direct: provider.direct() - before.direct },
    runs: pawl.journal.read().slice(before.runs),
  });
  showCounts(counts, screen);
  showCosts(counts, screen);
  const broken = brokenPromises(turns, counts, watch);
  if (broken.length > 0) throw new Failure('not_as_promised', broken.join('\n  '));
  screen.gap();
  screen.say(styleText('green', 'All as promised. The demo now stops everything that it started.'));
}

const SETTINGS = {
  PAWL_TOOLS: join(import.meta.dirname, 'tools.ts'),
  PAWL_PRICES: PRICES,
  PAWL_BATCH_WAIT_MS: '5000',
  PAWL_BATCH_SIZE: String(SHOPS.length),
};

function showRequest({ url }: Pawl, screen: Screen): void {
  screen.gap();
  screen.say(`${styleText('bold', 'the same turns by batch')} · the input scripts the model`);
  screen.add(`$ curl ${url}/v1/turns \\`);
  screen.add(`    -H 'content-type: application/json' -d '{`);
  screen.add(`      "model": "${MODEL}", "service_tier": "batch", … }'`);
  screen.add('Each round waits for a batch, and holds no slot of a worker.');
}

const NAME_WIDTH = 17;
const NUMBER_WIDTH = 7;

function showCounts(counts: ReportCounts, screen: Screen): void {
  const { rounds, requests, batches, tools } = counts;
  const head = `${' '.repeat(NAME_WIDTH)}${'needed'.padStart(NUMBER_WIDTH)}${'made'.padStart(NUMBER_WIDTH)}`;
  screen.title('Repeated work, counted at its source');
  screen.add(styleText('dim', head));
  screen.add(row(rounds, `of ${SHOPS.length} turns`));
  screen.add(row(requests, `in ${batches} batches, none twice`));
  for (const tool of tools) screen.add(row(tool, tool.what === 'order_stock' ? 'at_most_once' : ''));
}

function row({ what, needed, times }: Count, note: string): string {
  const numbers = String(needed).padStart(NUMBER_WIDTH) + String(times).padStart(NUMBER_WIDTH);
  const painted = needed === times ? numbers : styleText('yellow', numbers);
  return what.padEnd(NAME_WIDTH) + painted + (note && styleText('dim', `   ${note}`));
}

function showCosts({ costs: { direct, batch } }: ReportCounts, screen: Screen): void {
  const dollars = (cost: number) => `$${cost.toFixed(4)}`;
  screen.title('Costs of the same tokens, by PAWL_PRICES');
  screen.add(`${'without batches'.padEnd(NAME_WIDTH)}${dollars(direct).padStart(2 * NUMBER_WIDTH)}`);
  const percent = Math.round((batch / direct) * 100);
  screen.add(`${'by batch'.padEnd(NAME_WIDTH)}${dollars(batch).padStart(2 * NUMBER_WIDTH)}   ${percent} %`);
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { History } from './history.ts';
import { checkInvariants } from './invariants/check-invariants.ts';
import { openChaosHarness } from './open-harness.ts';
import { type Options, readOptions } from './read-options.ts';
import { figuresOf } from './report/figures.ts';
import { report } from './report/report.ts';
import { runChaos } from './run-chaos.ts';

const options = readOptions(process.argv.slice(2));
process.exit(await main(options));

/** Returns the exit code: 0 if all promises were kept, 1 if not, 2 if the run itself failed. */
async function main(options: Options): Promise<number> {
  await using harness = await openChaosHarness(options);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await harness[Symbol.asyncDispose]();
      process.exit(130);
    });
  }
  try {
    const history = await runChaos(harness, options);
    if (options.keep) keepHistory(history, options.keep);
    const checked = checkInvariants(history, options);
    console.log(report(figuresOf(history), checked, options));
    return checked.some(({ status }) => status === 'broken') ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    // Work that the run has left in progress fails when its harness closes. The reason is already printed.
    process.on('unhandledRejection', () => {});
    return 2;
  }
}

function keepHistory(history: History, folder: string): void {
  const plain = { ...history, seen: [...history.seen] };
  writeFileSync(join(folder, 'history.json'), JSON.stringify(plain, null, 1));
}

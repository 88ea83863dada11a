import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import type { CrashOptions } from './crash-options.ts';

const USAGE = 'npm run crash [-- --queue redis|postgres] [--only "part of a name"] [--sample 10] [--list]';

const crash = readOptions();
const vitest = await startVitest('test', ['test/crash/matrix/'], {
  config: 'vitest.crash.config.ts',
  watch: false,
  provide: { crash },
});
await vitest.close();

function readOptions(): CrashOptions {
  const { values } = parseArgs({
    options: {
      ...{ queue: { type: 'string' }, only: { type: 'string' }, list: { type: 'boolean' } },
      sample: { type: 'string', default: '1' },
    },
  });
  const { queue = null, only = '', list = false } = values;
  const sample = Number(values.sample);
  const isKnown = queue === null || queue === 'redis' || queue === 'postgres';
  if (isKnown && Number.isInteger(sample) && sample > 0) return { queue, only, sample, list };
  process.stderr.write(`${USAGE}\n`);
  process.exit(1);
}

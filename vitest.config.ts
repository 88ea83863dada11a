import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size: what they test starts many processes, waits, or computes. The longest first. */
const LONG = [
  'test/queue/waiting.test.ts',
  'test/demo/demo.test.ts',
  'test/queue/many-providers.test.ts',
  'test/demo/examples.test.ts',
  'test/cli/pawl.test.ts',
  'test/standalone/main.test.ts',
  'test/api/docs-page.test.ts',
  'test/inspector/list.test.ts',
  'test/inspector/turn-words.test.ts',
  'test/worker/round/rate-limited-turns.test.ts',
  'test/model/suites.test.ts',
];

/**
 * Starts long files first, so that none of them is left at the end with one process at work. By itself Vitest goes by
 * how long a file took the last time, which a new checkout does not know, and else by its size.
 */
class OrderedFiles extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONG.findIndex((path) => moduleId.endsWith(path));
  return rank < 0 ? LONG.length : rank;
}

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/!(crash)/**/*.test.ts', 'test/crash/*.test.ts'],
    exclude: ['**/node_modules/**', '**/restarts/**', 'test/e2e/**'],
    globalSetup: ['test/harness/parts/start-compile-cache.ts', 'test/harness/stores/start-stores.ts'],
    // For a test that hangs; a machine that is busy with other things must not reach them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A report of a failure that comes once in a hundred runs has to say what it was.
    chaiConfig: { truncateThreshold: 2_000 },
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Files share what they import: to load it and warm it up anew for each of them was a quarter of the CPU.
    isolate: false,
    // More than cores: most tests wait for something else most of the time.
    maxWorkers: 3,
    sequence: { sequencer: OrderedFiles },
  },
});

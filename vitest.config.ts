import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/!(crash)/**/*.test.ts', 'test/crash/*.test.ts'],
    exclude: ['**/node_modules/**', '**/restarts/**'],
    globalSetup: ['test/harness/stores/start-stores.ts'],
    // For a test that hangs; a machine that is busy with other things must not reach them.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // Files share what they import: to load it and warm it up anew for each of them was a quarter of the CPU.
    isolate: false,
    // More than cores: most tests wait for something else most of the time.
    maxWorkers: 3,
  },
});

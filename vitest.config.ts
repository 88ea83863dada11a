import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/*.test.ts', 'test/!(crash)/**/*.test.ts', 'test/crash/*.test.ts'],
    globalSetup: ['test/world/start-stores.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // More than cores: most tests wait for something else most of the time.
    maxWorkers: 3,
  },
});

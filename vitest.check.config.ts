import { defineConfig } from 'vitest/config';

/** The tests of the repository itself: they read files only, and need no database. */
export default defineConfig({
  test: {
    // The words of all files are read in one test.
    testTimeout: 60_000,
    include: ['test/arrows.test.ts', 'test/arrows/**/*.test.ts', 'test/docs/paths.test.ts', 'test/model/rules.test.ts'],
  },
});

import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** Clients that are packages of their own (`test/e2e/package.json`), so no part of `npm test`. */
export default defineConfig({
  test: {
    ...tests.test,
    include: ['test/e2e/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // No client may report to its vendor.
    env: { MASTRA_TELEMETRY_DISABLED: '1', LANGSMITH_TRACING: 'false', OPENAI_AGENTS_DISABLE_TRACING: '1' },
  },
});

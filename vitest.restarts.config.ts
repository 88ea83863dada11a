import { defineConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** Real processes that are killed, stopped, restarted or cut off: minutes of waiting, so no part of `npm test`. */
export default defineConfig({
  test: { ...tests.test, include: ['test/**/restarts/*.test.ts'], exclude: ['**/node_modules/**'] },
});

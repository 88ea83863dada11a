import { defineConfig } from 'vitest/config';
import { shared, stores } from './vitest.config.ts';

/** Real processes that are killed, stopped, restarted or cut off: minutes of waiting, so in no project. */
export default defineConfig({ test: { ...shared, include: ['test/**/restarts/*.test.ts'], globalSetup: stores } });

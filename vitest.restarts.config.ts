import { defineConfig } from 'vitest/config';
import { shared, stores } from './vitest.config.ts';

/** Runs tests that kill, stop, restart or cut off real processes. They take minutes, so no project has them. */
export default defineConfig({ test: { ...shared, include: ['test/**/restarts/*.test.ts'], globalSetup: stores } });

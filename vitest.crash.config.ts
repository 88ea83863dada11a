import { defineConfig } from 'vitest/config';
import { shared, stores } from './vitest.config.ts';

/** Runs the crash matrix, which kills a process at each point of each reference, or at a sample of the points. */
export default defineConfig({ test: { ...shared, include: ['test/crash/matrix/**/*.test.ts'], globalSetup: stores } });

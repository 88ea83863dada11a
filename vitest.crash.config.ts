import { defineConfig } from 'vitest/config';
import { shared, stores } from './vitest.config.ts';

/** The crash matrix kills a process at each point of each reference, or at a sample of them. That takes its time. */
export default defineConfig({ test: { ...shared, include: ['test/crash/matrix/**/*.test.ts'], globalSetup: stores } });

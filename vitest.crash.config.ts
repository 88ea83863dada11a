import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/** The crash matrix kills a process at each point of each reference, or at a sample of them. That takes its time. */
export default mergeConfig(tests, defineConfig({ test: { include: ['test/crash/matrix/**/*.test.ts'] } }));

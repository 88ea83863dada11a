import { defineConfig, mergeConfig } from 'vitest/config';
import tests from './vitest.config.ts';

/**
 * The crash matrix: it kills a process at each point of each reference, which takes its time. A machine that stands still for
 * seconds in the middle can fail a reference; it is told, and played once more.
 */
export default mergeConfig(tests, defineConfig({ test: { include: ['test/crash/matrix/**/*.test.ts'], retry: 1 } }));

import { globSync, readFileSync } from 'node:fs';
import { maskCode } from './mask-code.ts';

const ROOT = new URL('../../', import.meta.url);

/**
 * The files that may read a clock or set a timer: they run real processes and must give them time. Every other file
 * of `test/` takes its time from the harness, so that no test depends on the load of the machine.
 */
export const clockReaders = [
  // The harness gives tests their time: `advance`, `waitUntil`, `msAgo`, `repeat`.
  'test/harness/**',
  // These programs and rooms kill, stop and cut off real processes. `npm test` runs none.
  'test/chaos/**',
  'test/crash/matrix/**',
  'test/**/restarts/**',
  // Prints how long an exploration took.
  'test/model/main.ts',
];

const READS = [
  /\bDate\s*\.\s*now\b/,
  /\bnew\s+Date\s*(?:\(\s*\)|(?!\s*\())/,
  /\bperformance\s*\.\s*\w/,
  /(?<![.\w])set(?:Timeout|Interval)\s*\(/,
  /\bset(?:Timeout|Interval)\b[^;{}]*\}\s*=?\s*from\b|\bscheduler\b[^;{}]*\}\s*from\b/,
  /\b(?:vi|expect)\s*\.\s*(?:waitFor|waitUntil|poll)\b/,
  /\b(?:hrtime|heapUsed|memoryUsage|cpuUsage|threadCpuUsage|resourceUsage)\b/,
  /\b(?:monitorEventLoopDelay|eventLoopUtilization)\b/,
  /(?<![.\w])gc\s*\(|\b(?:global|globalThis)\s*\.\s*gc\b/,
];

/** Returns the test files that read a clock, set a timer or measure the process, except those that may. */
export function findClockReaders(): string[] {
  return globSync('test/**/*.{ts,tsx}', { cwd: ROOT, exclude: [...clockReaders, '**/node_modules/**'] })
    .filter(readsClock)
    .sort();
}

/** Returns whether a file of these paths reads a clock. */
export function hasClockReader(paths: string): boolean {
  return globSync(paths, { cwd: ROOT }).some((path) => path.endsWith('.ts') && readsClock(path));
}

function readsClock(path: string): boolean {
  const { code } = maskCode(readFileSync(new URL(path, ROOT), 'utf8'));
  return READS.some((pattern) => pattern.test(code));
}

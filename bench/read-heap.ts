import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Bytes of a program after a collection, on its heap and in all; `rssBefore` is with its garbage. */
export type Heap = { heapUsed: number; rss: number; rssBefore: number };

/** What a program that reports its heap is started with, and how to read the report. */
export type HeapReporter = {
  nodeOptions: string[];
  env: Record<string, string>;
  read(pid: number): Promise<Heap>;
};

const REPORT_MEMORY = fileURLToPath(new URL('./report-memory/main.ts', import.meta.url));
const TIMEOUT_MS = 10_000;
const POLL_MS = 20;

/** Makes a program report its heap into a file of that name, on request. */
export function reportHeap(folder: string, name: string): HeapReporter {
  const file = join(folder, `${name}.memory.json`);
  return {
    nodeOptions: ['--expose-gc', '--import', REPORT_MEMORY],
    env: { BENCH_MEMORY_FILE: file },
    read: async (pid) => {
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      const deadline = performance.now() + TIMEOUT_MS;
      while (performance.now() < deadline) {
        const text = await readFile(file, 'utf8').catch(() => '');
        if (text.endsWith('}')) return JSON.parse(text);
        await pause(POLL_MS);
      }
      throw new Error(`${name} did not report its memory within ${TIMEOUT_MS / 1000} s.`);
    },
  };
}

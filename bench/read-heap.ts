import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Bytes that a program holds after a collection, on its heap and in all; and what it had before, garbage and all. */
export type Heap = { heapUsed: number; rss: number; asItStands: number };

/** A file that a program which tells its heap writes to, and what it has to be started with. */
export type HeapTeller = {
  nodeOptions: string[];
  env: Record<string, string>;
  read(pid: number): Promise<Heap>;
};

const TELL_MEMORY = fileURLToPath(new URL('./tell-memory/main.ts', import.meta.url));
const PATIENCE_MS = 10_000;
const POLL_MS = 20;

/** Has a program tell its heap into a file of that name whenever it is asked. */
export function tellHeap(folder: string, name: string): HeapTeller {
  const file = join(folder, `${name}.memory.json`);
  return {
    nodeOptions: ['--expose-gc', '--import', TELL_MEMORY],
    env: { BENCH_MEMORY_FILE: file },
    read: async (pid) => {
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      const deadline = performance.now() + PATIENCE_MS;
      while (performance.now() < deadline) {
        const text = await readFile(file, 'utf8').catch(() => '');
        if (text.endsWith('}')) return JSON.parse(text);
        await pause(POLL_MS);
      }
      throw new Error(`${name} did not tell its memory within ${PATIENCE_MS / 1000} s.`);
    },
  };
}

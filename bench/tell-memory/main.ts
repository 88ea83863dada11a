import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Pages are given back a little after the collection that emptied them. */
const SETTLE_MS = 800;

/**
 * Loaded into a program before its own code: at a signal it writes down what it has, and what is left when all garbage is
 * collected and all room is given back that Node keeps for new objects, 130 MB and more whatever there is to do.
 */
process.on('SIGUSR2', async () => {
  const { rss: asItStands } = process.memoryUsage();
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  await pause(SETTLE_MS);
  writeFileSync(process.env.BENCH_MEMORY_FILE ?? '', JSON.stringify({ ...process.memoryUsage(), asItStands }));
});

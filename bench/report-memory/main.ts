import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Pages are returned a little after the collection that emptied them. */
const SETTLE_MS = 800;

/**
 * Loaded into a program before its own code: at a signal it reports its memory, before and after all garbage is collected
 * and the room is returned that Node keeps for new objects, 130 MB and more in any case.
 */
process.on('SIGUSR2', async () => {
  const { rss: rssBefore } = process.memoryUsage();
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  await pause(SETTLE_MS);
  writeFileSync(process.env.BENCH_MEMORY_FILE ?? '', JSON.stringify({ ...process.memoryUsage(), rssBefore }));
});

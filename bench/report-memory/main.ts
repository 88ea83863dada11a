import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** The pause after a collection, since emptied pages are returned a little later. */
const SETTLE_MS = 800;

/**
 * Loaded into a program before its own code. At a signal it reports its memory before and after a full collection.
 * The collection also returns the space that Node keeps for new objects (130 MB or more).
 */
process.on('SIGUSR2', async () => {
  const { rss: rssBefore } = process.memoryUsage();
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  await pause(SETTLE_MS);
  writeFileSync(process.env.BENCH_MEMORY_FILE ?? '', JSON.stringify({ ...process.memoryUsage(), rssBefore }));
});

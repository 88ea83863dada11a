import { writeSync } from 'node:fs';

/**
 * Loaded into a process ahead of its own code: tells at its end how long its event loop was held by one piece of work,
 * in milliseconds of the thread's own time, so that a busy machine fails no test. Cores are fast or slow, and some are shared:
 * so it tells too what a fixed piece of work took there.
 */
let before = process.threadCpuUsage();
let longestMs = 0;

function look(): void {
  longestMs = Math.max(longestMs, sinceMs(before));
  before = process.threadCpuUsage();
}

function sinceMs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

const REPETITIONS = 10;

/** Of the kind that a reply makes: JSON is read, and a long text is looked through. */
function workReference(): number {
  const start = process.threadCpuUsage();
  let found = 0;
  for (let time = 0; time < REPETITIONS; time += 1) {
    const lines = Array.from({ length: 20_000 }, (_, index) =>
      JSON.stringify({ index, delta: `[TOOL_CALL: ${index}`.repeat(8) }),
    );
    const text = lines.map((line) => JSON.parse(line).delta).join('');
    for (let at = 0; at >= 0; at = text.indexOf('[TOOL_CALL', at + 1)) found += 1;
  }
  return found > 0 ? sinceMs(start) : Number.NaN;
}

setInterval(look, 10).unref();
process.on('exit', () => {
  const told = { msg: 'longest stall', longestMs, referenceMs: workReference() };
  writeSync(1, `${JSON.stringify(told)}\n`);
});

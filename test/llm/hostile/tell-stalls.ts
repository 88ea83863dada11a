import { writeSync } from 'node:fs';

/**
 * Loaded into a process ahead of its own code: tells at its end how long its event loop was held by one piece of work,
 * in milliseconds of the thread's own time, so that a busy machine fails no test.
 */
let before = process.threadCpuUsage();
let longestMs = 0;

function look(): void {
  const { user, system } = process.threadCpuUsage(before);
  before = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1000);
}

setInterval(look, 10).unref();
process.on('exit', () => void writeSync(1, `${JSON.stringify({ msg: 'longest stall', longestMs })}\n`));

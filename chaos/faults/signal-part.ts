import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../site/open-part.ts';

const AGAIN_MS = 100;

/** Sends a signal to whatever process a part is now, and answers its id. One that was just brought down is up again first. */
export async function signalPart(part: Part, signal: NodeJS.Signals): Promise<number> {
  for (;;) {
    await part.start();
    const pid = part.pid();
    if (pid > 0 && arrived(pid, signal)) return pid;
    await sleep(AGAIN_MS);
  }
}

function arrived(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

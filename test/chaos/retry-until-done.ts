import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 100;
const PAUSE_MS = 250;

/** Retries an action of the driver for at least 25 s, since another fault may disturb it. */
export async function retryUntilDone<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await act();
    } catch {
      await sleep(PAUSE_MS);
    }
  }
  return act();
}

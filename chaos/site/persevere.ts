import { setTimeout as sleep } from 'node:timers/promises';

const ATTEMPTS = 100;
const PAUSE_MS = 250;

/** Does something of the driver's own until it succeeds, as another fault may just be in its way; 25 s at the least. */
export async function persevere<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      return await act();
    } catch {
      await sleep(PAUSE_MS);
    }
  }
  return act();
}

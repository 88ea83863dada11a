/** @import { Refused } from './api.js' */
import { asRefused } from './api.js';

/**
 * What a page reads again and again. `read` throws what the API refused; `show` is called after each reading, with what
 * was refused or null. `mayRead` may put a reading off.
 * @typedef {{ everyMs: number, read: (signal: AbortSignal) => Promise<void>, show: (refused: Refused | null) => void,
 *   mayRead?: () => boolean }} Refreshed
 */

/**
 * Reads at once, and then at intervals and whenever the page is looked at again, while it is visible. What is refused for
 * good is not asked for again by itself.
 * @param {Refreshed} refreshed
 * @returns {{ again: () => Promise<void>, stop: () => void }} `again` reads once more now
 */
export function keepFresh({ everyMs, read, show, mayRead = () => true }) {
  const leaving = new AbortController();
  const { signal } = leaving;
  /** @type {Refused | null} */
  let refused = null;

  async function again() {
    try {
      await read(signal);
      refused = null;
    } catch (error) {
      refused = asRefused(error);
    }
    if (!signal.aborted) show(refused);
  }
  const look = () => {
    // A final refusal is repeated by hand only: a key dialog every few seconds would be in the way.
    const isForGood = refused !== null && refused.status >= 400 && refused.status < 500;
    if (document.visibilityState === 'visible' && !isForGood && mayRead()) again();
  };
  const timer = setInterval(look, everyMs);
  document.addEventListener('visibilitychange', look);
  again();
  return {
    again,
    stop: () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      leaving.abort();
    },
  };
}

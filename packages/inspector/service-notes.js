import { urlOf } from './base/api.js';
import { element } from './base/element.js';

const AGAIN_MS = 5_000;

/** Shows above every page, in the API's words, what keeps turns from running now. */
export function showServiceNotes() {
  const container = document.getElementById('away');
  if (!container) return;
  const look = async () => {
    if (document.visibilityState !== 'visible') return;
    const notes = await readNotes();
    if (notes.join() === [...container.children].map((child) => child.textContent).join()) return;
    container.replaceChildren(...notes.map((note) => element('p', {}, note)));
  };
  setInterval(look, AGAIN_MS);
  addEventListener('visibilitychange', look);
  look();
}

/**
 * Empty where the API cannot be reached: the page's own requests report that.
 * @returns {Promise<string[]>}
 */
async function readNotes() {
  try {
    const { notes, error } = await (await fetch(urlOf('/readyz'))).json();
    return notes ?? [error.message];
  } catch {
    return [];
  }
}

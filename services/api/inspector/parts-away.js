import { urlOf } from './api.js';
import { element } from './element.js';

const AGAIN_MS = 5_000;

/** Shows above every page what keeps turns from running now, in the API's own words, as long as it does. */
export function showPartsAway() {
  const place = document.getElementById('away');
  if (!place) return;
  const look = async () => {
    if (document.visibilityState !== 'visible') return;
    const notes = await readNotes();
    if (notes.join() === [...place.children].map((child) => child.textContent).join()) return;
    place.replaceChildren(...notes.map((note) => element('p', {}, note)));
  };
  setInterval(look, AGAIN_MS);
  addEventListener('visibilitychange', look);
  look();
}

/**
 * Nothing where the API itself cannot be reached: whatever the page asks then says so.
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

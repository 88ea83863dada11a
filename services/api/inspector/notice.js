const SHOWN_MS = 6_000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Says something for a few seconds at the foot of the page, also to those who hear it.
 * @param {string} text
 */
export function notice(text) {
  const place = document.getElementById('notice');
  if (!place) return;
  place.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    place.textContent = '';
  }, SHOWN_MS);
}

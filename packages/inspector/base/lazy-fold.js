import { Refused } from './api.js';
import { actionButton } from './controls.js';
import { element } from './element.js';

/**
 * A part that is read when it is opened first: what it holds is long, and rarely looked at.
 * @param {string} title
 * @param {{ key: string, looks?: string, read: () => Promise<Node[]> }} of `key` keeps it open where its page is made again
 */
export function lazyFold(title, { key, looks = '', read }) {
  const inside = element('div', { class: 'inside' });
  const details = element('details', { class: looks, 'data-key': key }, element('summary', {}, title), inside);
  let isRead = false;

  async function fill() {
    if (isRead || !details.open) return;
    isRead = true;
    inside.replaceChildren(element('p', { class: 'meta' }, 'Reading …'));
    try {
      inside.replaceChildren(...(await read()));
    } catch (error) {
      isRead = false;
      const message = error instanceof Refused ? error.message : String(error);
      inside.replaceChildren(element('p', { class: 'meta', role: 'alert' }, message), actionButton('Try again', fill));
    }
  }
  details.addEventListener('toggle', fill);
  return details;
}

/**
 * @import { Refused } from './api.js'
 * @import { Part } from './keep-parts.js'
 */
import { actionButton } from './action-button.js';
import { element } from './element.js';

/**
 * What the API refused, and a way to ask again; nothing where it refused nothing.
 * @param {Refused | null} refused
 * @param {() => void} again
 * @returns {Part[]}
 */
export function refusedPart(refused, again) {
  if (!refused) return [];
  const make = () =>
    element(
      'section',
      { class: 'trouble failed', role: 'alert' },
      element('p', {}, refused.message),
      element(
        'div',
        { class: 'actions' },
        actionButton('Try again', async () => again()),
      ),
    );
  return [{ key: 'refused', state: refused.message, make }];
}

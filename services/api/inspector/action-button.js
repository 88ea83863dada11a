/** @import { Props } from './element.js' */
import { element } from './element.js';
import { notice } from './notice.js';

/**
 * A button that does something once per press, and says why where it could not.
 * @param {string} label
 * @param {() => Promise<unknown>} work
 * @param {Props} [props]
 */
export function actionButton(label, work, props = {}) {
  const button = element(
    'button',
    { type: 'button', 'data-key': label, ...props, onclick: () => once(button, work) },
    label,
  );
  return button;
}

/**
 * @param {HTMLButtonElement} button
 * @param {() => Promise<unknown>} work
 */
async function once(button, work) {
  if (button.getAttribute('aria-busy')) return;
  button.setAttribute('aria-busy', 'true');
  try {
    await work();
  } catch (error) {
    notice(error instanceof Error ? error.message : String(error));
  } finally {
    button.removeAttribute('aria-busy');
  }
}

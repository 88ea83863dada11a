/** @import { Props } from './element.js' */
import { element } from './element.js';

/**
 * A button that runs work once per press, and shows why where it failed.
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

/**
 * A button that copies a text; `what` is its name for screen readers.
 * @param {string} label
 * @param {() => string} text
 * @param {string} [what]
 */
export function copyButton(label, text, what = label) {
  return actionButton(label, () => copy(text()), { class: 'quiet', 'data-key': what, 'aria-label': what });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notice('Copied.');
  } catch {
    // Browsers give access to the clipboard on HTTPS and localhost only.
    throw new Error('This browser does not let the page copy here. Select the text instead.');
  }
}

const SHOWN_MS = 6_000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let hiding;

/**
 * Shows a text for a few seconds at the foot of the page, and to screen readers.
 * @param {string} text
 */
export function notice(text) {
  const container = document.getElementById('notice');
  if (!container) return;
  container.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    container.textContent = '';
  }, SHOWN_MS);
}

import { actionButton } from './action-button.js';
import { notice } from './notice.js';

/**
 * A button that copies a text; `what` tells it from others to those who hear the page.
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
    // Browsers lend the clipboard to HTTPS and localhost only.
    throw new Error('This browser does not let the page copy here. Select the text instead.');
  }
}

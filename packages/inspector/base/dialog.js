/** @import { Child } from './element.js' */
import { actionButton } from './controls.js';
import { element } from './element.js';

/**
 * Asks a person before something is done that cannot be undone. `work` is done while the dialog is open, and may fill it
 * anew; where it returns nothing the dialog closes.
 * @typedef {{ title: string, texts: Child[], action: string, isDanger?: boolean, work: (show: Show) => Promise<unknown> }} Question
 */

/** @typedef {(title: string, ...children: Child[]) => void} Show shows other words, and a button to close */

/**
 * @param {Question} question
 * @returns {Promise<void>} when the dialog is closed
 */
export function askFirst({ title, texts, action, isDanger = false, work }) {
  const dialog = element('dialog', { class: 'ask', 'aria-labelledby': 'ask-title' });
  const close = (/** @type {string} */ label) => actionButton(label, async () => dialog.close());
  let isShown = false;

  /** @type {Show} */
  const show = (shownTitle, ...children) => {
    isShown = true;
    fill(shownTitle, children, [close('Close')]);
  };
  /**
   * @param {string} name
   * @param {Child[]} children
   * @param {Child[]} buttons
   */
  function fill(name, children, buttons) {
    const heading = element('h2', { id: 'ask-title' }, name);
    const within = element('div', { class: 'asked' }, heading, children, element('div', { class: 'actions' }, buttons));
    dialog.replaceChildren(within);
  }
  const confirm = async () => {
    await work(show);
    if (!isShown) dialog.close();
  };
  const paragraphs = texts.map((text) => element('p', {}, text));
  const confirmed = actionButton(action, confirm, { class: isDanger ? 'danger' : 'primary' });
  fill(title, paragraphs, [confirmed, close('Leave it')]);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve();
    });
  });
}

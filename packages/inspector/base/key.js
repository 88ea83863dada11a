import { element } from './element.js';

const STORAGE_KEY = 'pawl.key';

/** @type {Promise<boolean> | null} */
let pending = null;

/** The API key of this tab; null where none was needed yet. It is forgotten with the tab. */
export function storedKey() {
  return sessionStorage.getItem(STORAGE_KEY);
}

/**
 * Requests a key from the person, once for all pending requests; false where the dialog was closed without one.
 * @returns {Promise<boolean>}
 */
export function requestKey() {
  pending ??= show().finally(() => {
    pending = null;
  });
  return pending;
}

/** @returns {Promise<boolean>} */
function show() {
  const wasRefused = storedKey() !== null;
  const field = element('input', { id: 'key', type: 'password', autocomplete: 'off', required: true, autofocus: true });
  field.pattern = '[!-~]+';
  field.title = 'Keys have no spaces, and no characters that a mail or a document may have put in.';
  const dialog = element(
    'dialog',
    { class: 'ask', 'aria-labelledby': 'ask-title' },
    element(
      'form',
      { onsubmit: take },
      element('h2', { id: 'ask-title' }, 'This API needs a key'),
      element(
        'p',
        { role: wasRefused && 'alert' },
        wasRefused
          ? 'That key was not accepted. Try another.'
          : 'One of PAWL_API_KEYS, without its project, or of PAWL_PROJECTS.',
      ),
      element('label', { for: 'key' }, 'Key'),
      field,
      element('p', { class: 'hint' }, 'It stays in this tab and is sent to this API only.'),
      element('div', { class: 'actions' }, element('button', { class: 'primary' }, 'Use this key')),
    ),
  );

  /** @param {Event} event */
  function take(event) {
    event.preventDefault();
    sessionStorage.setItem(STORAGE_KEY, field.value.trim());
    dialog.close('taken');
  }
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue === 'taken');
    });
  });
}

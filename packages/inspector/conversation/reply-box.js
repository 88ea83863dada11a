/** @import { Part } from '../base/parts.js' */
import { send } from '../base/api.js';
import { actionButton, notice } from '../base/controls.js';
import { element } from '../base/element.js';
import { keepDraft, readDraft } from './draft.js';

/**
 * The ways to speak into a conversation that is at work, as `on_active_turn` names them.
 * @type {Record<string, { label: string, does: string, placeholder: string }>}
 */
const WAYS = {
  enqueue: { label: 'Next', does: 'Asked when the turn at work has ended.', placeholder: 'Ask next' },
  steer: { label: 'Steer', does: 'Joins the turn at work, with its next round.', placeholder: 'Steer this turn' },
  merge: {
    label: 'Wait',
    does: 'Joins the turn that waits; where none does, one begins to.',
    placeholder: 'Add to what waits',
  },
  interrupt: { label: 'Interrupt', does: 'Stops the turn at work, and asks this instead.', placeholder: 'Ask instead' },
};

/** The way that was chosen last, for all conversations of this tab. */
let chosen = 'enqueue';

/**
 * The box at the foot of a conversation: what is written there is a turn, or joins one. `Enter` sends, `Shift Enter` is a new
 * line, `Escape` leaves the box; the draft is kept.
 * @param {string} conversationId
 * @param {boolean} isAtWork whether a turn of the conversation is active
 * @param {() => Promise<unknown>} sent is called when it was taken
 * @returns {Part}
 */
export function replyBox(conversationId, isAtWork, sent) {
  return {
    key: 'reply',
    state: isAtWork,
    make: () => boxView(conversationId, sent),
    refresh: (made) => {
      made.classList.toggle('at-work', isAtWork);
      tellWay(made, isAtWork);
    },
  };
}

/**
 * @param {string} conversationId
 * @param {() => Promise<unknown>} sent
 */
function boxView(conversationId, sent) {
  const field = element('textarea', { id: 'reply', rows: 1, 'aria-label': 'Message' }, readDraft(conversationId));
  field.placeholder = 'Ask something';
  const submit = async () => {
    if (field.value.trim() === '') return field.focus();
    const isJoined = await speak(conversationId, field.value, form.classList.contains('at-work') ? chosen : 'enqueue');
    field.value = '';
    keepDraft(conversationId, '');
    grow(field);
    if (isJoined) notice('It joined the turn that is there.');
    await sent();
  };
  const button = actionButton('Send', submit, { class: 'primary' });
  const form = element(
    'form',
    { class: 'reply-box', 'aria-label': 'Reply', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    waysView((way) => {
      chosen = way;
      tellWay(form, true);
      field.focus();
    }),
    element('div', { class: 'reply-line' }, field, button),
    element('p', { class: 'hint', 'aria-live': 'polite' }),
  );
  field.addEventListener('input', () => {
    keepDraft(conversationId, field.value);
    grow(field);
  });
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    button.click();
  });
  requestAnimationFrame(() => grow(field));
  return form;
}

/** @param {(way: string) => void} choose */
function waysView(choose) {
  return element(
    'fieldset',
    { class: 'ways' },
    element('legend', { class: 'unseen' }, 'A turn is at work. How to go on'),
    Object.entries(WAYS).map(([way, { label }]) =>
      element(
        'label',
        {},
        element('input', {
          type: 'radio',
          name: 'way',
          value: way,
          checked: way === chosen,
          onchange: () => choose(way),
        }),
        label,
      ),
    ),
  );
}

/**
 * @param {HTMLElement} form
 * @param {boolean} isAtWork
 */
function tellWay(form, isAtWork) {
  const { does, placeholder } = WAYS[chosen] ?? { does: '', placeholder: '' };
  const [field, hint] = [form.querySelector('textarea'), form.querySelector('.hint')];
  if (hint) hint.textContent = isAtWork ? does : '';
  if (field) field.placeholder = isAtWork ? placeholder : 'Ask something';
}

/** As high as its lines, up to what the style sheet allows. @param {HTMLTextAreaElement} field */
function grow(field) {
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}

/**
 * Sends an input into a conversation; true where it joined a turn that was there.
 * @param {string} conversationId
 * @param {string} input
 * @param {string} way
 */
async function speak(conversationId, input, way) {
  const path = `/v1/conversations/${encodeURIComponent(conversationId)}/turns`;
  const { status } = await send('POST', path, { body: { input, on_active_turn: way } });
  return status === 200;
}

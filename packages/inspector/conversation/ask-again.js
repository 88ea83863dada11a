/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { ThreadTurn } from './watched-thread.js'
 */
import { call } from '../base/api.js';
import { actionButton, notice } from '../base/controls.js';
import { askFirst } from '../base/dialog.js';
import { element } from '../base/element.js';
import { joinContent, splitContent } from '../content/edit-content.js';
import { conversationHref } from '../route.js';

/**
 * Puts a field in the place of a turn's input. What is written there is asked in a new conversation, which stands on what
 * came before the turn; the turn stays as it is.
 * @param {HTMLElement} shown what showed the input
 * @param {ThreadTurn} turn
 */
export function askAgain(shown, { id, input }) {
  const earlier = input.slice(0, -1);
  const last = input.at(-1) ?? { role: /** @type {const} */ ('user'), content: '' };
  const { words, kept } = splitContent(last.content);
  const field = element('textarea', { rows: 3, 'aria-label': 'Ask this instead' }, words);
  const ask = () => {
    const content = joinContent(field.value, kept);
    return fork(id, { after_round: 0, input: [...earlier, { ...last, content }] });
  };
  // The element stays: the page keeps it while the thread goes on around it.
  const before = [...shown.childNodes];
  const close = async () => {
    shown.classList.remove('editing');
    shown.replaceChildren(...before);
  };
  const button = actionButton('Ask again', ask, { class: 'primary' });
  shown.classList.add('editing');
  shown.replaceChildren(
    field,
    element('p', { class: 'meta' }, 'It is asked in a new conversation; this one stays as it is.'),
    element('div', { class: 'actions' }, button, actionButton('Leave it', close)),
  );
  field.addEventListener('keydown', press);
  field.focus();

  /** @param {KeyboardEvent} event */
  function press(event) {
    if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) button.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/**
 * Asks how to go on from a round of a turn in a new conversation.
 * @param {ThreadTurn} turn
 * @param {number} round
 */
export function forkAfter({ id }, round) {
  const field = element('textarea', { rows: 3, placeholder: 'Optional: what to say next' });
  return askFirst({
    title: `Fork after round ${round}`,
    texts: ['A new conversation goes on from there. This one stays as it is.', element('label', {}, 'Input', field)],
    action: 'Fork',
    work: () => fork(id, { after_round: round, ...(field.value.trim() ? { input: field.value } : {}) }),
  });
}

/**
 * @param {string} id
 * @param {object} body
 */
async function fork(id, body) {
  /** @type {TurnResource} */
  const turn = await call('POST', `/v1/turns/${id}/fork`, { body });
  notice('A new conversation goes on from there.');
  location.hash = conversationHref(turn.conversation_id);
}

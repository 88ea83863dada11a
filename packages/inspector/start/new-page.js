/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { Route } from '../route.js'
 * @import { Conversation, Tool, TurnRequest } from './turn-request.js'
 */

import { asRefused, call } from '../base/api.js';
import { actionButton } from '../base/controls.js';
import { element } from '../base/element.js';
import { keepParts, refusedPart } from '../base/parts.js';
import { joinContent, splitContent } from '../content/edit-content.js';
import { turnHref } from '../route.js';
import { modelNames } from './model-names.js';
import { nameOf, requestOf } from './turn-request.js';

/**
 * Shows a form that starts a turn; `from` names one to start again.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showNew(page, { query }) {
  const leaving = new AbortController();
  const { signal } = leaving;
  document.title = 'New turn · Pawl';

  async function read() {
    try {
      const offer = await readOffer(query.get('from'), signal);
      keepParts(page, [{ key: 'new', state: null, make: () => newForm(offer) }]);
      page.querySelector('textarea')?.focus();
    } catch (error) {
      if (!signal.aborted) keepParts(page, refusedPart(asRefused(error), read));
    }
  }
  keepParts(page, []);
  read();
  return () => leaving.abort();
}

/**
 * What there is to choose from, and what is chosen already.
 * @param {string | null} from
 * @param {AbortSignal} signal
 * @returns {Promise<Offer>}
 */
async function readOffer(from, signal) {
  const [{ data: providers }, { data: known, unavailable }, draft] = await Promise.all([
    /** @type {Promise<{ data: { name: string }[] }>} */ (call('GET', '/v1/models', { signal })),
    /** @type {Promise<{ data: Tool[], unavailable: Unavailable[] }>} */ (call('GET', '/v1/tools', { signal })),
    from === null ? { model: '', input: [], tools: [] } : readDraft(from, signal),
  ]);
  const given = draft.tools ?? [];
  const names = known.map(({ name }) => name);
  const own = given.filter((tool) => !names.includes(nameOf(tool)));
  return { draft, tools: [...names, ...own], unavailable, providers };
}

/**
 * @param {string} from
 * @param {AbortSignal} signal
 * @returns {Promise<TurnRequest>}
 */
async function readDraft(from, signal) {
  /** @type {TurnResource} */
  const turn = await call('GET', `/v1/turns/${encodeURIComponent(from)}`, { signal });
  /** @type {Conversation} */
  const conversation = await call('GET', `/v1/conversations/${turn.conversation_id}`, { signal });
  return requestOf(turn, conversation);
}

/** @typedef {{ server: string, reason: string }} Unavailable */

/**
 * @typedef {{
 *   draft: TurnRequest, tools: (string | Tool)[], unavailable: Unavailable[], providers: { name: string }[]
 * }} Offer
 */

/**
 * A form that starts a turn and goes to its page.
 * @param {Offer} offer
 */
function newForm({ draft, tools, unavailable, providers }) {
  const earlier = draft.input.slice(0, -1);
  const last = draft.input.at(-1) ?? { role: 'user', content: '' };
  const { words, kept } = splitContent(last.content);
  const input = element('textarea', { rows: 6, required: true }, words);
  const instructions = element('textarea', { rows: 2 }, draft.instructions);
  const models = modelNames(providers);
  const model = element('input', { required: true, list: 'models', value: draft.model || models.find(isWhole) });
  const boxes = tools.map((tool) => ({ tool, box: toolBox(tool, draft) }));

  async function start() {
    if (!form.reportValidity()) return;
    const chosen = boxes.filter(({ box }) => box.checked).map(({ tool }) => tool);
    const said = {
      model: model.value.trim(),
      input: [...earlier, { ...last, content: joinContent(input.value, kept) }],
      tools: chosen,
    };
    const body = { ...draft, ...said, instructions: instructions.value.trim() || null };
    /** @type {TurnResource} */
    const turn = await call('POST', '/v1/turns', { body });
    location.hash = turnHref(turn.id);
  }
  const button = actionButton('Start turn', start, { type: 'submit', class: 'primary' });
  const form = element(
    'form',
    { class: 'new', onsubmit: (/** @type {Event} */ event) => event.preventDefault(), onkeydown: startByKeys },
    element('h1', {}, 'New turn'),
    element('label', {}, 'Model', model),
    element(
      'datalist',
      { id: 'models' },
      models.map((value) => element('option', { value })),
    ),
    element('label', {}, 'Input', input),
    element('label', {}, 'Instructions', instructions),
    (boxes.length > 0 || unavailable.length > 0) && toolChoice(boxes, unavailable),
    element('div', { class: 'actions' }, button, element('span', { class: 'hint' }, 'Ctrl Enter')),
  );
  return form;

  /** @param {KeyboardEvent} event */
  function startByKeys(event) {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) button.click();
  }
}

/** @param {string} model */
function isWhole(model) {
  return !model.endsWith('/');
}

/**
 * @param {string | Tool} tool
 * @param {TurnRequest} draft
 */
function toolBox(tool, { tools = [] }) {
  const isChosen = tools.some((given) => nameOf(given) === nameOf(tool));
  return element('input', { type: 'checkbox', checked: isChosen });
}

/**
 * @param {{ tool: string | Tool, box: HTMLInputElement }[]} boxes
 * @param {Unavailable[]} unavailable
 */
function toolChoice(boxes, unavailable) {
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Tools'),
    boxes.map(({ tool, box }) => element('label', { class: 'box' }, box, nameOf(tool))),
    unavailable.map(({ reason }) => element('p', { class: 'hint' }, reason)),
  );
}

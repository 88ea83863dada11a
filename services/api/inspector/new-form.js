/**
 * @import { TurnResource } from '#core/turn/present-turn.ts'
 * @import { Tool, TurnRequest } from './request-of.js'
 */
import { actionButton } from './action-button.js';
import { call } from './api.js';
import { element } from './element.js';
import { nameOf } from './request-of.js';
import { turnHref } from './route.js';

/** @typedef {{ draft: TurnRequest, tools: (string | Tool)[], providers: string[] }} Offer */

/**
 * A form that starts a turn and goes to its page.
 * @param {Offer} offer
 */
export function newForm({ draft, tools, providers }) {
  const earlier = draft.input.slice(0, -1);
  const last = draft.input.at(-1) ?? { role: 'user', content: '' };
  const input = element('textarea', { rows: 6, required: true }, last.content);
  const instructions = element('textarea', { rows: 2 }, draft.instructions);
  const models = providers.map((name) => (name === 'sim' ? 'sim/demo' : `${name}/`));
  const model = element('input', { required: true, list: 'models', value: draft.model || models.find(isWhole) });
  const boxes = tools.map((tool) => ({ tool, box: toolBox(tool, draft) }));

  async function start() {
    if (!form.reportValidity()) return;
    const chosen = boxes.filter(({ box }) => box.checked).map(({ tool }) => tool);
    const said = { model: model.value.trim(), input: [...earlier, { ...last, content: input.value }], tools: chosen };
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
    boxes.length > 0 && toolChoice(boxes),
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

/** @param {{ tool: string | Tool, box: HTMLInputElement }[]} boxes */
function toolChoice(boxes) {
  return element(
    'fieldset',
    {},
    element('legend', {}, 'Tools'),
    boxes.map(({ tool, box }) => element('label', { class: 'box' }, box, nameOf(tool))),
  );
}

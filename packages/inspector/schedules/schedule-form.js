import { call, Refused } from '../base/api.js';
import { actionButton, notice } from '../base/controls.js';
import { element } from '../base/element.js';

const UNITS = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

/**
 * A form that creates a schedule; what the API refuses is said at its field.
 * @param {() => Promise<void>} created
 */
export function scheduleForm(created) {
  const fields = allFields();
  const create = async () => {
    if (!form.reportValidity()) return;
    for (const { problem } of fields) problem.textContent = '';
    try {
      await call('POST', '/v1/schedules', { body: requestOf(new FormData(form)) });
    } catch (error) {
      if (!refuseAt(fields, error)) throw error;
      return;
    }
    form.reset();
    notice('Created.');
    await created();
  };
  const skip = element('input', { type: 'checkbox', name: 'skip' });
  const button = actionButton('Create schedule', create, { type: 'submit', class: 'primary' });
  const form = element(
    'form',
    { class: 'new schedule-form', onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    fields.map(({ made }) => made),
    zonesList(),
    element('label', { class: 'box words' }, skip, 'Skip what was missed'),
    element('div', { class: 'actions' }, button),
  );
  return form;
}

function allFields() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const every = element('input', { name: 'every', type: 'number', min: 1, value: 1, 'aria-label': 'Every how many' });
  const units = Object.keys(UNITS).map((name) => element('option', { selected: name === 'hours' }, name));
  const unit = element('select', { name: 'unit', 'aria-label': 'Unit' }, units);
  const conversation = element('input', { name: 'conversation_id', placeholder: 'A new one each time' });
  return [
    field('Cron', 'cron', element('input', { name: 'cron', placeholder: '0 9 * * 1-5', autocomplete: 'off' })),
    field('Time zone', 'time_zone', element('input', { name: 'time_zone', value: zone, list: 'zones' })),
    field('Or every', 'every_seconds', element('span', { class: 'every' }, every, unit)),
    field('Model', 'turn.model', element('input', { name: 'model', required: true, value: 'sim/demo' })),
    field('Input', 'turn.input', element('textarea', { name: 'input', rows: 3, required: true })),
    field('Conversation', 'conversation_id', conversation),
  ];
}

/**
 * Says at its field what the API refused; false where the form has no such field.
 * @param {ReturnType<typeof field>[]} fields
 * @param {unknown} error
 */
function refuseAt(fields, error) {
  if (!(error instanceof Refused)) return false;
  const [at = ''] = /^(?:turn\.)?\w+/.exec(error.param ?? '') ?? [];
  const found = fields.find(({ name }) => name === at);
  if (found) found.problem.textContent = error.message;
  return found !== undefined;
}

/**
 * @param {string} label
 * @param {string} name the path of the field in the request
 * @param {HTMLElement} input
 */
function field(label, name, input) {
  const problem = element('span', { class: 'problem', role: 'alert' });
  return { name, problem, made: element('label', { class: `of-${name.replace('.', '-')}` }, label, input, problem) };
}

function zonesList() {
  return element(
    'datalist',
    { id: 'zones' },
    Intl.supportedValuesOf('timeZone').map((value) => element('option', { value })),
  );
}

/** @param {FormData} given */
function requestOf(given) {
  const text = (/** @type {string} */ name) => String(given.get(name) ?? '').trim();
  const unit = /** @type {keyof typeof UNITS} */ (text('unit'));
  const plan = text('cron')
    ? { cron: text('cron'), ...(text('time_zone') ? { time_zone: text('time_zone') } : {}) }
    : { every_seconds: Number(text('every')) * UNITS[unit] };
  return {
    ...plan,
    turn: { model: text('model'), input: text('input') },
    ...(text('conversation_id') ? { conversation_id: text('conversation_id') } : {}),
    ...(given.has('skip') ? { if_missed: 'skip' } : {}),
  };
}

/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from './parts.js'
 * @import { ToolCall } from './watched-turn.js'
 */
import { call as ask } from './api.js';
import { actionButton } from './controls.js';
import { codeBlock, element, prettyJson } from './element.js';

/**
 * A form for each call that waits for a person to allow it, or for a client to run it.
 * @param {TurnResource} turn
 * @param {() => void} refresh is called when an answer was taken
 * @returns {Part[]}
 */
export function answerForms({ id, required_action: action }, refresh) {
  const { approvals = [], tool_outputs: outputs = [], expires_at: expiresAt = null } = action ?? {};
  const post = async (/** @type {string} */ route, /** @type {unknown} */ body) => {
    await ask('POST', `/v1/turns/${id}/${route}`, { body });
    refresh();
  };
  return [
    ...approvals.map((call) => ({
      key: `approve-${call.id}`,
      state: [call, expiresAt],
      make: () => approvalForm(call, (decision) => post('approvals', { approvals: [decision] })),
    })),
    ...outputs.map((call) => ({
      key: `output-${call.id}`,
      state: [call, expiresAt],
      make: () => outputForm(call, (output) => post('tool_outputs', { tool_outputs: [output] })),
    })),
  ];
}

/**
 * @param {ToolCall} call
 * @param {(decision: object) => Promise<unknown>} send
 */
function approvalForm(call, send) {
  const reason = element('input', {
    type: 'text',
    maxlength: 2000,
    placeholder: 'Optional; the model reads it when denied',
  });
  const decide = (/** @type {string} */ decision) => () =>
    send({ tool_call_id: call.id, decision, ...(reason.value ? { reason: reason.value } : {}) });
  return form(
    `May it call ${call.name}?`,
    call,
    element('label', {}, 'Reason', reason),
    element(
      'div',
      { class: 'actions' },
      actionButton('Approve', decide('allow'), { class: 'primary' }),
      actionButton('Deny', decide('deny'), { class: 'danger' }),
    ),
  );
}

/**
 * @param {ToolCall} call
 * @param {(output: object) => Promise<unknown>} send
 */
function outputForm(call, send) {
  const field = element('textarea', { rows: 4, placeholder: 'Text or JSON, as the model shall read it' });
  let warnedOf = '';
  const submit = async () => {
    const why = brokenJson(field.value);
    if (why !== null && warnedOf !== field.value) {
      warnedOf = field.value;
      throw new Error(`This begins as JSON and is none: ${why}. Mend it, or submit it once more to send it as text.`);
    }
    await send({ tool_call_id: call.id, output: field.value });
  };
  const error = () =>
    send({ tool_call_id: call.id, error: { category: 'unknown', message: field.value || 'The call failed.' } });
  return form(
    `What did ${call.name} bring?`,
    call,
    element('label', {}, 'Result', field),
    element(
      'div',
      { class: 'actions' },
      actionButton('Submit result', submit, { class: 'primary' }),
      actionButton('Submit as error', error),
    ),
  );
}

/**
 * @param {string} title
 * @param {ToolCall} call
 * @param {...Node} inside
 */
function form(title, call, ...inside) {
  return element(
    'section',
    { class: 'needs', 'aria-label': title },
    element('h2', {}, title),
    codeBlock(prettyJson(call.arguments), `Arguments of ${call.name}`),
    ...inside,
  );
}

/**
 * What is wrong with a text that begins as a JSON object or list does; null where nothing is.
 * @param {string} text
 */
function brokenJson(text) {
  if (!/^\s*[{[]/.test(text)) return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

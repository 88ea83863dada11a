/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from '../base/parts.js'
 * @import { ToolCall } from '../watch/watched-turn.js'
 */
import { call as ask } from '../base/api.js';
import { actionButton } from '../base/controls.js';
import { codeBlock, element, prettyJson } from '../base/element.js';
import { jsonField } from '../base/json-field.js';

/**
 * A form for each call that waits for a person to allow it, or for a client to run it.
 * @param {Pick<TurnResource, 'id' | 'required_action'>} turn
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
  const given = argumentsField(call);
  const decide = (/** @type {string} */ decision) => async () => {
    const changed = decision === 'allow' ? given.changed() : {};
    try {
      await send({ tool_call_id: call.id, decision, ...changed, ...(reason.value ? { reason: reason.value } : {}) });
    } catch (error) {
      if (!given.refuse(error)) throw error;
    }
  };
  return form(
    `May it call ${call.name}?`,
    given.made,
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
    argumentsView(call),
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
 * @param {...Node} inside
 */
function form(title, ...inside) {
  return element('section', { class: 'needs', 'aria-label': title }, element('h2', {}, title), ...inside);
}

/** @param {ToolCall} call */
function argumentsView(call) {
  return codeBlock(prettyJson(call.arguments), `Arguments of ${call.name}`);
}

/**
 * The arguments of a call, which a person may change before it is made.
 * @param {ToolCall} call
 */
function argumentsField(call) {
  const edited = jsonField('Arguments it is made with', call.arguments);
  let isOpen = false;
  const change = async () => {
    isOpen = true;
    made.replaceChildren(edited.made);
    made.querySelector('textarea')?.focus();
  };
  const button = actionButton('Change the arguments', change, { class: 'quiet' });
  const made = element('div', { class: 'given-arguments' }, argumentsView(call), button);
  return {
    made,
    changed: () => (isOpen && edited.isChanged() ? { arguments: edited.read() } : {}),
    refuse: (/** @type {unknown} */ error) => isOpen && edited.refuse(error, 'approvals[0].arguments'),
  };
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

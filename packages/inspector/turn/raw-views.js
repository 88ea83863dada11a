/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { Part } from '../base/parts.js'
 * @import { TurnRequest } from '../start/turn-request.js'
 */
import { urlOf } from '../base/api.js';
import { copyButton } from '../base/controls.js';
import { codeBlock, element } from '../base/element.js';
import { storedKey } from '../base/key.js';

/**
 * What lies beneath the page, closed: commands for a terminal, and what the API answers, as it is.
 * @param {[what: string, command: string][]} commands
 * @param {[name: string, value: unknown][]} values
 * @returns {Part[]}
 */
export function rawViews(commands, values) {
  return [
    {
      key: 'curl',
      state: commands,
      make: () => fold('Copy as curl', () => commands.map(([what, command]) => copyable(what, command))),
    },
    ...values.map(([name, value]) => ({
      key: `raw-${name}`,
      state: value,
      make: () => fold(`Raw JSON: ${name}`, () => [copyable(name, JSON.stringify(value, null, 2))]),
    })),
  ];
}

/**
 * A part that is filled when it is opened first: the raw form of a long turn is long.
 * @param {string} title
 * @param {() => Node[]} fill
 */
function fold(title, fill) {
  const inside = element('div', { class: 'inside' });
  const details = element('details', { 'data-key': title }, element('summary', {}, title), inside);
  details.addEventListener('toggle', () => details.open && inside.replaceChildren(...fill()));
  return element('section', { class: 'fold' }, details);
}

/**
 * @param {string} what
 * @param {string} text
 */
function copyable(what, text) {
  return element(
    'div',
    { class: 'copyable' },
    element('h3', {}, what),
    copyButton('Copy', () => text, `Copy: ${what}`),
    codeBlock(text, what),
  );
}

/**
 * What this page does with a turn, as commands for a terminal. A key is named, never shown.
 * @param {TurnResource} turn
 * @param {TurnRequest | null} request what starts a turn like it; null while that is not known
 * @returns {[what: string, command: string][]}
 */
export function curlCommands({ id, response_id: responseId, status, required_action: action }, request) {
  const path = `/v1/turns/${id}`;
  const output = action?.tool_outputs[0];
  const approval = action?.approvals[0];
  const isActive = status === 'queued' || status === 'in_progress' || status === 'requires_action';
  const outputs = { tool_outputs: [{ tool_call_id: output?.id, output: '…' }] };
  const approvals = { approvals: [{ tool_call_id: approval?.id, decision: 'allow' }] };
  /** @type {([string, string] | false | null | undefined)[]} */
  const commands = [
    ['Read it', curl('-s', `${path}?wait=30`)],
    ['Follow it', curl('-sN', `${path}/events`, { header: 'accept: text/event-stream' })],
    responseId !== null && ['Read it as a response', curl('-s', `/v1/responses/${responseId}?wait=30`)],
    responseId !== null && ['Stream it as a response', curl('-sN', `/v1/responses/${responseId}?stream=true`)],
    output && ['Give a result', curl('-s', `${path}/tool_outputs`, { body: outputs })],
    approval && ['Approve a call', curl('-s', `${path}/approvals`, { body: approvals })],
    isActive && ['Cancel it', curl('-s -X POST', `${path}/cancel`)],
    status === 'failed' && ['Retry it', curl('-s -X POST', `${path}/retry`)],
    request && ['Start it again', curl('-s', '/v1/turns', { body: shortly(request) })],
  ];
  return commands.filter((command) => !!command);
}

/**
 * @param {string} options
 * @param {string} path
 * @param {{ header?: string, body?: unknown }} [more]
 */
function curl(options, path, { header, body } = {}) {
  const parts = [
    `curl ${options} ${quote(urlOf(path))}`,
    storedKey() !== null && '-H "Authorization: Bearer $PAWL_API_KEY"',
    header && `-H ${quote(header)}`,
    body !== undefined && `-H 'content-type: application/json' -d ${quote(JSON.stringify(body, null, 2))}`,
  ];
  return parts.filter(Boolean).join(' \\\n  ');
}

/**
 * A single message of a user is its text.
 * @param {TurnRequest} request
 */
function shortly(request) {
  const [only, ...more] = request.input;
  return { ...request, input: only?.role === 'user' && more.length === 0 ? only.content : request.input };
}

/** @param {string} text */
function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

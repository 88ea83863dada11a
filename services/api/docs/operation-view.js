/** @import { Answer, Operation, Schema } from './described.js' */
import { copyButton } from '../inspector/base/controls.js';
import { codeBlock, element } from '../inspector/base/element.js';
import { curlCommands } from './curl-commands.js';
import { api, examplesOf, nameOf, resolveAnswer } from './described.js';
import { fieldsView, schemaView, typeOf } from './fields-view.js';
import { hint } from './hint.js';

/**
 * One operation, folded; what is in it is made when it is first opened.
 * @param {Operation} operation
 */
export function operationView(operation) {
  const { method, path, operationId, summary } = operation;
  const details = element(
    'details',
    { class: 'operation', id: operationId, ontoggle: () => details.childElementCount === 1 && fill() },
    element('summary', {}, methodBadge(method), element('code', { class: 'path' }, path), hint(summary)),
  );
  const fill = () => details.append(element('div', {}, ...partsOf(operation)));
  return details;
}

/** @param {string} method */
export function methodBadge(method) {
  return element('span', { class: `method ${method.toLowerCase()}` }, method);
}

/** @param {Operation} operation */
function partsOf(operation) {
  const { description, parameters = [], requestBody, responses, security, isWebhook } = operation;
  const bodies = Object.values(requestBody?.content ?? {});
  return [
    description ? element('p', {}, hint(description)) : '',
    security?.length === 0 ? element('p', {}, hint('Open to all: no key is asked for.')) : '',
    parameters.length > 0 ? section('Parameters', fieldsView(parameters)) : '',
    ...bodies.map(({ schema }) => section('Body', ...bodyView(schema))),
    section('Answers', ...Object.entries(responses).map(([status, answer]) => answerView(status, answer))),
    isWebhook ? '' : section('Try it', ...curlCommands(operation).map(commandView)),
  ];
}

/**
 * @param {string} title
 * @param {...(Node | string | null)} parts
 */
function section(title, ...parts) {
  return element('section', {}, element('h4', {}, title), ...parts);
}

/**
 * @param {Schema} schema
 * @param {string} [label]
 */
function bodyView(schema, label = '') {
  const [example] = examplesOf(schema);
  return [
    element('p', {}, hint(`${label} ${typeOf(schema)}`)),
    schemaView(schema),
    example === undefined ? '' : codeBlock(JSON.stringify(example, null, 2), 'Example'),
  ];
}

/**
 * @param {string} status
 * @param {Answer} answer
 */
function answerView(status, answer) {
  const { description, headers, content = {} } = resolveAnswer(answer);
  const fields = Object.entries(headers).map(([name, header]) => ({ ...header, name, in: 'header' }));
  const bodies = Object.entries(content).map(([type, { schema, examples }]) =>
    examples
      ? [codesView(Object.values(examples)), schema.anyOf && bodyView(schema, type)].flat()
      : bodyView(schema, type),
  );
  return element(
    'details',
    { class: /^[45]/.test(status) ? 'refused' : 'fine' },
    element('summary', {}, element('strong', {}, status), ' ', hint(description)),
    fields.length > 0 && fieldsView(fields),
    bodies.flat(),
  );
}

/** @param {{ $ref: string }[]} examples */
function codesView(examples) {
  const errors = examples.flatMap((example) => api.components.examples[nameOf(example) ?? '']?.value.error ?? []);
  const rows = errors.map(({ code, message }) => [
    element('dt', {}, element('code', {}, code)),
    element('dd', {}, hint(message)),
  ]);
  return element('dl', {}, rows.flat());
}

/** @param {string} command */
function commandView(command) {
  const copy = copyButton('Copy', () => command, 'Copy the command');
  return element('div', { class: 'command' }, codeBlock(command, 'As a command'), copy);
}

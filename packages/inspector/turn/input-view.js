/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 * @import { Child } from '../base/element.js'
 * @import { ContentPart } from '../content/part-view.js'
 * @import { ResponseInput } from '../watch/watched-response.js'
 */

import { codeBlock, element, prettyJson } from '../base/element.js';
import { titleOf } from '../base/turn-text.js';
import { contentView, lengthOf } from '../content/part-view.js';

/**
 * One item of a response's input, in OpenAI's shapes; each type has some of the fields.
 * @typedef {{ id: string, type: string, role?: string, content?: string | ContentPart[], name?: string, call_id?: string,
 *   arguments?: string, input?: string, output?: string | ContentPart[] | null, server_label?: string }} InputItem
 */

const LONG_CHARS = 300;

/**
 * Whether the input says more than the title of the page.
 * @param {TurnResource} turn
 * @param {ResponseInput | null} given the items, where the turn is a response
 */
export function isBeyondTitle(turn, given) {
  const isTitle = turn.input.length === 1 && turn.input[0]?.content === titleOf(turn);
  return !isTitle || (given?.items.some(({ type }) => type !== 'message') ?? false);
}

/**
 * The input of the turn, closed where it is long.
 * @param {TurnResource} turn
 * @param {ResponseInput | null} given the items, where the turn is a response
 */
export function inputView({ input }, given) {
  const count = given?.items.length ?? input.length;
  const isLong = count > 3 || input.reduce((sum, { content }) => sum + lengthOf(content), 0) > LONG_CHARS;
  const messages = input.map(({ role, content }) => itemView(role, null, ...contentView(content)));
  return element(
    'details',
    { class: 'input', open: !isLong, 'data-key': 'input' },
    element('summary', {}, element('h2', {}, 'Input')),
    given ? given.items.map(responseItemView) : messages,
    given?.hasMore && element('p', { class: 'hint' }, `More than ${count} items; the API has them all.`),
  );
}

/**
 * @param {string} who
 * @param {Child} about
 * @param {...Child} said
 */
function itemView(who, about, ...said) {
  const head = about && element('p', { class: 'meta' }, about);
  return element('div', { class: 'message' }, element('b', {}, who), element('div', {}, head, ...said));
}

/** @param {InputItem} item */
function responseItemView(item) {
  const { type, role, content, name, call_id: callId, arguments: args, input, output, server_label: server } = item;
  const call = callId && element('code', {}, callId);
  switch (type) {
    case 'message':
      return itemView(role ?? '', null, ...contentView(content ?? ''));
    case 'function_call':
    case 'custom_tool_call':
      return itemView('earlier call', call, codeBlock(`${name}(${args ?? input ?? ''})`, `Call of ${name}`));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return itemView('result', call, ...contentView(output ?? ''));
    case 'mcp_call': {
      const block = codeBlock(`${name}(${args})\n${output ?? ''}`.trim(), `Call of ${name}`);
      return itemView('earlier call', `run by ${server}`, block);
    }
    default: {
      const { id: _, type: __, ...rest } = item;
      return itemView(type.replaceAll('_', ' '), null, codeBlock(prettyJson(rest), type));
    }
  }
}

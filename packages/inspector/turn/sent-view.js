import { call } from '../base/api.js';
import { codeBlock, element, factList, prettyJson } from '../base/element.js';
import { lazyFold } from '../base/lazy-fold.js';
import { formatCount } from '../base/turn-text.js';

/** @typedef {{ role: string, content?: unknown, tool_call_id?: string, tool_calls?: { id: string, function: { name: string, arguments: string } }[] }} Message */
/** @typedef {{ name: string, description: string, parameters: unknown }} SentTool */
/** @typedef {Record<string, unknown> & { model: string, instructions: string | null, messages: Message[], tools: SentTool[], has_more: boolean, next_cursor: string | null }} SentRound */

/** Messages at the beginning and at the end of a long history that are shown. */
const FIRST = 10;
const LAST = 40;
/** Pages of messages that are read at most. */
const PAGES = 20;

/**
 * What the model was sent for a round, read when it is opened.
 * @param {string} turnId
 * @param {number} round
 */
export function sentFold(turnId, round) {
  const read = async () => sentView(await readPages(`/v1/turns/${encodeURIComponent(turnId)}/rounds/${round}/sent`));
  return lazyFold('What the model was sent', { key: `sent ${round}`, looks: 'sent', read });
}

/**
 * The first page with the messages of the later pages.
 * @param {string} path
 */
async function readPages(path) {
  /** @type {SentRound} */
  const sent = await call('GET', path);
  let { next_cursor: cursor } = sent;
  for (let pages = 1; cursor !== null && pages < PAGES; pages += 1) {
    /** @type {SentRound} */
    const page = await call('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);
    sent.messages.push(...page.messages);
    cursor = page.next_cursor;
  }
  return sent;
}

/** @param {SentRound} sent */
function sentView({ instructions, messages, tools, has_more: _, next_cursor: __, ...settings }) {
  const system = instructions === null ? [] : [{ role: 'instructions', content: instructions }];
  const all = [...system, ...messages];
  const left = all.length - FIRST - LAST;
  const shown = left > 1 ? [...all.slice(0, FIRST), null, ...all.slice(-LAST)] : all;
  return [
    element(
      'ol',
      { class: 'messages' },
      shown.map((message) =>
        message ? messageView(message) : element('li', { class: 'meta' }, `${formatCount(left)} more messages`),
      ),
    ),
    tools.length > 0 && toolsView(tools),
    settingsView(settings),
  ].filter((node) => node !== false);
}

/** @param {Message} message */
function messageView({ role, content, tool_call_id: answers, tool_calls: calls = [] }) {
  return element(
    'li',
    { class: `message ${role}` },
    element('span', { class: 'role' }, role, answers && element('code', {}, ` ${answers}`)),
    element(
      'div',
      {},
      content !== undefined && element('p', { class: 'said' }, textOf(content)),
      calls.map(({ id, function: { name, arguments: args } }) =>
        element(
          'p',
          { class: 'said' },
          element('code', {}, `${name}(${args})`),
          element('span', { class: 'meta' }, ` ${id}`),
        ),
      ),
    ),
  );
}

/** @param {unknown} content */
function textOf(content) {
  return typeof content === 'string' ? content : prettyJson(content);
}

/** @param {SentTool[]} tools */
export function toolsView(tools) {
  return element(
    'section',
    { class: 'sent-tools' },
    element('h4', {}, 'Tools'),
    element(
      'ul',
      {},
      tools.map((tool) =>
        element(
          'li',
          {},
          element(
            'details',
            {},
            element('summary', {}, element('code', {}, tool.name), ` ${tool.description}`),
            codeBlock(JSON.stringify(tool, null, 2), `The tool ${tool.name}`),
          ),
        ),
      ),
    ),
  );
}

/** What is no setting: what the page tells elsewhere. */
const TOLD = ['object', 'turn_id', 'round'];

/**
 * Settings by name; those that are not set are left out.
 * @param {Record<string, unknown>} settings
 */
export function settingsView(settings) {
  const set = Object.entries(settings).filter(([name, value]) => !TOLD.includes(name) && !isEmpty(value));
  return factList(set.map(([name, value]) => [name.replaceAll('_', ' '), element('code', {}, textOf(value))]));
}

/** @param {unknown} value */
function isEmpty(value) {
  return value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);
}

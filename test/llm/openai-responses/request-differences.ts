import { MEDIA } from '#test/llm/recorded-loops/wire-reader.ts';
import type { Exchange } from '#test/llm/recordings.ts';
import { heardIn, partsOf, type WireItem } from './heard.ts';
import { itemsOf, type WireBody } from './recorded-exchanges.ts';

/**
 * Returns the differences between the items and the fields of a request and a recorded request. The recorded client
 * may have omitted empty fields, sent ids and tools as items, and chosen other call ids.
 */
export function requestDifferences(ours: WireBody, theirs: WireBody, { withFields = true } = {}): string[] {
  const own = essences(ours);
  const other = essences(theirs);
  const lengths = own.length === other.length ? [] : [`${own.length} items for ${other.length}: ${kinds(own)}`];
  const items = other.flatMap((item, index) => {
    const sent = own[index] ?? {};
    return isOwnAnswer(sent) ? [] : lacks(sent, item).map((what) => `[${index}] ${what}`);
  });
  return [...lengths, ...items, ...(withFields ? lacks(fieldsOf(ours), fieldsOf(theirs)) : [])];
}

type Fields = Record<string, unknown>;

/** Returns whether Pawl itself answered a call that breaks the rules of its tool. */
function isOwnAnswer({ type, output }: Fields): boolean {
  return type === 'function_call_output' && String(output).startsWith('Toolexecutionfailed');
}

const FIELDS = ['model', 'parallel_tool_calls', 'max_output_tokens', 'temperature', 'reasoning', 'text'];

function fieldsOf({ tools = [], tool_choice: choice, ...body }: WireBody): Fields {
  const given = Object.fromEntries(FIELDS.filter((field) => body[field]).map((field) => [field, body[field]]));
  const included = Object.fromEntries(((body.include ?? []) as string[]).map((name) => [name, true]));
  // Pawl sends functions before other tools.
  const inOrder = tools
    .map(toolFields)
    .toSorted((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)));
  return { ...given, included, tool_choice: choice ?? 'auto', tools: inOrder };
}

/** Returns the fields of a tool without an empty description and without `$schema`, which models do not read. */
function toolFields({ strict: _, description, parameters, ...tool }: WireItem): Fields {
  const { $schema: __, ...schema } = (parameters ?? {}) as Fields;
  return filled({ ...tool, description: description || null, parameters: parameters ? schema : null });
}

function filled(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

/** Returns the items after the first messages of the system, which Pawl sends as instructions. */
function essences({ input }: WireBody): Fields[] {
  const items = itemsOf(input);
  const ids = items.flatMap(({ type, call_id: id }) => (type === 'function_call' ? [id] : []));
  const start = items.findIndex(({ role }) => role !== 'developer' && role !== 'system');
  return items
    .slice(Math.max(start, 0))
    .map((item) => essence(item, ids))
    .filter(({ type, text }) => type !== 'nothing' && text !== '');
}

function essence(item: WireItem, ids: unknown[]): Fields {
  const call = ids.indexOf(item.call_id);
  switch (item.type ?? 'message') {
    case 'message':
      return filled({ type: 'message', role: item.role ?? '', text: textIn(item.content), phase: item.phase ?? null });
    case 'reasoning': {
      const { encrypted_content: sealed = null, summary, content } = item;
      if (!sealed && !content?.length) return { type: 'nothing' };
      // OpenAI encrypts the same reasoning differently for each event, and clients read different events.
      return filled({ type: 'reasoning', sealed: sealed !== null, summary, shown: content?.length ? content : null });
    }
    case 'function_call': {
      const { type, name } = item;
      return filled({ type, call, name, args: JSON.parse(String(item.arguments || '{}')) });
    }
    case 'function_call_output':
      return { type: item.type, call, output: textIn(item.output as WireItem['content']) };
    case 'additional_tools':
      return { type: 'nothing' };
    default:
      // Clients omit or rename fields of hosted calls.
      return filled({ type: item.type, id: item.id });
  }
}

function textIn(content: WireItem['content']): string {
  const texts = partsOf(content).map((part) => part.text ?? part.refusal ?? MEDIA);
  return texts.join('').replace(/\s+/g, '');
}

function lacks(own: Fields, other: Fields): string[] {
  return Object.entries(other).flatMap(([field, value]) => {
    if (has(own[field], value)) return [];
    return [`${field} is ${short(own[field])} for ${short(value)}`];
  });
}

function has(own: unknown, other: unknown): boolean {
  if (typeof other !== 'object' || other === null) return own === other || (other === null && own === undefined);
  if (typeof own !== 'object' || own === null || Array.isArray(own) !== Array.isArray(other)) return false;
  if (Array.isArray(own) && own.length !== (other as unknown[]).length) return false;
  return Object.entries(other).every(([key, value]) => has((own as Fields)[key], value));
}

function short(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 200);
}

function kinds(items: Fields[]): string {
  return items.map(({ type, role }) => role ?? type).join(' ');
}

/**
 * Returns the differences between the model items in a request and the items of its replies. Messages, reasoning and
 * function calls are sent back without id and status, all other items unchanged.
 */
export function carryDifferences({ input }: WireBody, replies: Exchange<unknown>[]): string[] {
  const own = itemsOf(input).filter(isOfModel);
  const given = replies.flatMap((exchange) => heardIn(exchange).items).filter(goesBack);
  const wanted = withUniqueIds(given.map(withoutIds));
  if (own.length !== wanted.length) return [`${kinds(own)} for ${kinds(wanted)}`];
  return wanted.flatMap((item, index) => {
    const { call_id: sent, ...rest } = own[index] ?? {};
    const { call_id: came, ...all } = item;
    const isSame = came === null || sent === came;
    return [...(isSame ? [] : [`the id ${sent} for ${came}`]), ...(same(rest, all) ? [] : [short([rest, all])])];
  });
}

function isOfModel({ type = 'message', role }: WireItem): boolean {
  return type === 'message' ? role === 'assistant' : !/_output$/.test(type) || type === 'tool_search_output';
}

/**
 * Returns whether an item is sent back. Reasoning without content, messages without text and images that a recording
 * has shortened are not.
 */
function goesBack({ type, encrypted_content: sealed, content, result }: WireItem): boolean {
  if (type === 'image_generation_call') return String(result).length % 4 === 0;
  if (type === 'message') return textIn(content) !== '';
  return type !== 'reasoning' || Boolean(sealed) || Boolean(content?.length);
}

const WITHOUT_IDS = ['message', 'reasoning', 'function_call'];

function withoutIds(item: WireItem): WireItem {
  const { id: _, status, ...rest } = item;
  return WITHOUT_IDS.includes(item.type ?? '') ? rest : item;
}

function withUniqueIds(items: WireItem[]): WireItem[] {
  const seen = new Set<unknown>();
  return items.map((item) => {
    const isTaken = item.type === 'function_call' && seen.has(item.call_id);
    seen.add(item.call_id);
    return isTaken ? { ...item, call_id: null } : item;
  });
}

function same(one: unknown, other: unknown): boolean {
  return has(one, other) && has(other, one);
}

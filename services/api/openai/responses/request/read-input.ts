import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote, wordOf } from '#core/text.ts';
import type { HostedCallItem, InputItem } from '#core/turn/request/item.ts';
import { readItemId } from '#core/turn/responses/item-id.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { renderPath } from '../../../http/issues.ts';
import type { ResponseBody } from '../response-body.ts';
import { readValue } from './explain-issues.ts';
import { GivenContent, readParts, readText } from './read-content.ts';
import { readHostedItem } from './read-hosted-item.ts';

/** An item of the input at its index in the caller's list, for the paths of errors: `input[3]`. */
export type PlacedItem = { at: number; item: InputItem | ItemReference };

/**
 * A reference to an item of a stored response, resolved by `readItemId` and `itemOf`.
 * - `call`: only the result is looked up, because OpenAI's agents send a server's call without its large result.
 * - `hosted`: a call that a provider ran, as the client sent it, for a call that is not stored.
 * - `mayMiss`: the client sent the whole item, so it is left out if it is not found.
 */
export type ItemReference = {
  type: 'item_reference';
  id: string;
  call?: McpCallItem;
  hosted?: HostedCallItem;
  mayMiss?: true;
};
type McpCallItem = Extract<InputItem, { type: 'mcp_call' }>;

/**
 * Unseals reasoning and compactions that a caller received. Null if the reasoning is unusable, or the seal is
 * unknown.
 */
type Unseal = { reasoning(sealed: string): InputItem | null; compaction(sealed: string): InputItem | null };

type Given = { type?: string | null | undefined };

/**
 * Reads the input of a create request as items, each with its index in the caller's list. Leaves out unusable items:
 * messages without text that are not a user's, lists of tools, and reasoning that `unseal` does not accept. Refuses a
 * compaction that `unseal` does not accept, because the model would lack a whole history.
 */
export async function readInput(
  { input, previous_response_id, conversation }: Pick<ResponseBody, 'input' | 'previous_response_id' | 'conversation'>,
  unseal: Unseal,
  mayBeEmpty = false,
): Promise<PlacedItem[]> {
  if (typeof input === 'string') return [{ at: 0, item: userMessage(input, ['input']) }];
  if (input.length === 0 && !previous_response_id && !conversation && !mayBeEmpty) {
    const message = 'The input is empty. Give at least one item, or name a previous response or a conversation.';
    throw new RequestRefused(400, 'invalid_value', message, 'input');
  }
  return readItems(input, { field: 'input', unseal });
}

/**
 * Reads the items that a caller adds to a conversation, by the same rules. State of a provider is left out, because
 * no provider is known.
 */
export function readAddedItems(items: Given[], compaction: Unseal['compaction']): Promise<PlacedItem[]> {
  return readItems(items, { field: 'items', unseal: { reasoning: () => null, compaction } });
}

/** The number of items that are read before other work may run. */
const ITEMS_AT_ONCE = 100;

type Reading = { field: 'input' | 'items'; unseal: Unseal };

async function readItems(items: Given[], { field, unseal }: Reading): Promise<PlacedItem[]> {
  const read: PlacedItem[] = [];
  for (const [at, given] of items.entries()) {
    if (at % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await yieldToEventLoop();
    const item = readItem(given, [field, at], unseal);
    if (item) read.push({ at, item });
  }
  return read;
}

function readItem(given: Given, path: PropertyKey[], unseal: Unseal): InputItem | ItemReference | null {
  switch (given.type ?? ('role' in given ? 'message' : 'item_reference')) {
    case 'message':
      return readMessage(given, path);
    case 'function_call':
      return { type: 'function_call', ...readValue(FunctionCall, given, path) };
    case 'custom_tool_call':
      return { type: 'custom_tool_call', ...readValue(CustomCall, given, path) };
    case 'function_call_output':
      if (isUncalledOutput(given)) return readUncalledOutput(given, path);
      return { type: 'function_call_output', ...readOutput(given, path) };
    case 'custom_tool_call_output':
      return { type: 'custom_tool_call_output', ...readOutput(given, path) };
    case 'mcp_call':
      return readMcpCall(given, path);
    case 'mcp_approval_request':
      return { type: 'item_reference', id: readValue(Reference, given, path).id, mayMiss: true };
    case 'mcp_approval_response':
      return { type: 'mcp_approval_response', ...readValue(ApprovalResponse, given, path) };
    case 'item_reference':
      return { type: 'item_reference', id: readValue(Reference, given, path).id };
    case 'mcp_list_tools':
      return null;
    case 'reasoning':
      return readReasoning(given, unseal);
    case 'compaction':
      return readCompaction(given, path, unseal);
    default: {
      const hosted = readHostedItem(wordOf(given.type), given, path);
      if (hosted) return hosted;
      const message = `Items of type ${quote(wordOf(given.type))} are not supported here. Leave the item out.`;
      throw new RequestRefused(400, 'unsupported_input_item', message, renderPath([...path, 'type']));
    }
  }
}

/** Values that are not Pawl's state of any shape are left out silently. */
function readReasoning(given: Given, unseal: Unseal): InputItem | null {
  const { data } = Sealed.safeParse(given);
  return data ? unseal.reasoning(data.encrypted_content) : null;
}

function readCompaction(given: Given, path: PropertyKey[], unseal: Unseal): InputItem {
  const item = unseal.compaction(readValue(Sealed, given, path).encrypted_content);
  if (item) return item;
  const param = renderPath([...path, 'encrypted_content']);
  const message =
    `\`${param}\` is not the content of a compaction of this project. ` +
    'Send the item unchanged, as `POST /v1/responses/compact` returned it.';
  throw new RequestRefused(400, 'invalid_encrypted_content', message, param);
}

const Sealed = z.object({ encrypted_content: z.string() });
const GivenMessage = z.object({ role: z.enum(['user', 'assistant', 'system', 'developer']), content: GivenContent });
const CallId = z.string().min(1).max(256);
const FunctionCall = z.object({ call_id: CallId, name: z.string().min(1), arguments: z.string() });
const CustomCall = z.object({ call_id: CallId, name: z.string().min(1), input: z.string() });
const Output = z.object({ call_id: CallId, output: GivenContent });
const McpCall = z.object({
  id: z.string().nullish(),
  server_label: z.string().min(1),
  name: z.string().min(1),
  arguments: z.string(),
  output: z.string().nullish(),
  error: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  approval_request_id: z.string().max(256).nullish(),
});
const ApprovalResponse = z.object({
  approval_request_id: z.string().min(1).max(256),
  approve: z.boolean(),
  reason: z.string().max(2_000).nullable().default(null),
});
const Reference = z.object({ id: z.string().min(1).max(256) });

function readMessage(given: Given, path: PropertyKey[]): InputItem | null {
  const { role, content } = readValue(GivenMessage, given, path);
  const at = [...path, 'content'];
  if (role === 'user') return userMessage(content, at);
  const text = readText(content, at, role === 'assistant' ? '' : '\n');
  return text === '' ? null : { role, content: text };
}

function userMessage(content: GivenContent, path: PropertyKey[]): InputItem {
  const read = readParts(content, path);
  if (read.length > 0) return { role: 'user', content: read };
  throw new RequestRefused(400, 'invalid_value', 'The message is empty. Add text to the message.', renderPath(path));
}

function readOutput(given: Given, path: PropertyKey[]) {
  const { call_id, output } = readValue(Output, given, path);
  return { call_id, output: readParts(output, [...path, 'output']) };
}

function readMcpCall(given: Given, path: PropertyKey[]): InputItem | ItemReference {
  const { id, output = null, error, approval_request_id, ...sent } = readValue(McpCall, given, path);
  const text = error ? errorText(error) : null;
  const allowed = approval_request_id ? { approval_request_id } : {};
  const call: McpCallItem = { type: 'mcp_call', ...sent, output, error: text, ...allowed };
  const lacksResult = output === null && text === null;
  return lacksResult && id && readItemId(id) ? { type: 'item_reference', id, call } : call;
}

/** Servers report failures in many shapes. A model can read any shape. */
function errorText(error: string | Record<string, unknown>): string {
  if (typeof error === 'string') return error;
  const texts = z.array(z.object({ text: z.string() })).safeParse(error.content);
  if (texts.success) return texts.data.map(({ text }) => text).join('\n');
  return typeof error.message === 'string' ? error.message : JSON.stringify(error);
}

const UncalledOutput = z.object({ name: z.string().min(1), namespace: z.string().nullish(), output: GivenContent });

/** Returns whether the output of a function names its tool instead of a call, as OpenAI's API allows. */
function isUncalledOutput(given: object): boolean {
  return !('call_id' in given && given.call_id !== null) && 'name' in given;
}

/** No wire has a result without its call, so the result becomes a user message. */
function readUncalledOutput(given: object, path: PropertyKey[]): InputItem {
  const { name, namespace, output } = readValue(UncalledOutput, given, path);
  const source = namespace ? `${namespace}.${name}` : name;
  const read = readParts(output, [...path, 'output']);
  const parts = typeof read === 'string' ? [{ type: 'input_text' as const, text: read }] : read;
  return { role: 'user', content: [{ type: 'input_text', text: `Output of ${source}, not called by you:` }, ...parts] };
}

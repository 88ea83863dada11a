import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { ChainedMessage } from '#core/turn/completions/chain-hash.ts';
import { functionCallId } from '#core/turn/completions/completion-id.ts';
import { type InputItem, plainContent } from '#core/turn/request/item.ts';
import { yieldToEventLoop } from '#core/yield-to-event-loop.ts';
import { renderPath } from '../../../http/issues.ts';
import { readValue } from '../../responses/request/explain-issues.ts';
import { GivenContent } from '../../responses/request/read-content.ts';
import type { PlacedItem } from '../../responses/request/read-input.ts';
import { readMessageParts, readMessageText } from './message-parts.ts';

/**
 * The messages of a request: its instructions, its items with their index in the list, and each message in the form
 * that a chain compares. `usesFunctions`: a message has the older form of calls.
 */
export type ReadMessages = {
  instructions: string | null;
  items: PlacedItem[];
  chained: ChainedMessage[];
  usesFunctions: boolean;
};

type Given = { role: string };

/** The number of messages that are read before other work may run. */
export const MESSAGES_AT_ONCE = 100;

/** Reads messages of all roles. Refuses content that no model accepts, with its path. */
export async function readMessages(messages: readonly Given[]): Promise<ReadMessages> {
  const reader = { calls: new Map<string, 'function' | 'custom'>(), openFunction: null, usesFunctions: false };
  const read: ReadMessage[] = [];
  for (const [at, given] of messages.entries()) {
    if (at % MESSAGES_AT_ONCE === MESSAGES_AT_ONCE - 1) await yieldToEventLoop();
    read.push({ ...readMessage(given, at, reader), role: given.role });
  }
  const head = read.findIndex(({ role }) => !isInstruction(role));
  // A request with instructions alone still needs a message, so the last instruction stays a message.
  const leading = read.slice(0, head === -1 ? -1 : head);
  const texts = leading.map(({ text }) => text).filter((text) => text.trim());
  return {
    instructions: texts.length > 0 ? texts.join('\n\n') : null,
    items: read.flatMap(({ items }, at) => (at < leading.length ? [] : items.map((item) => ({ at, item })))),
    chained: read.map(({ role, text, calls, answers }) => ({ role, text, calls, answers })),
    usesFunctions: reader.usesFunctions,
  };
}

function isInstruction(role: string): boolean {
  return role === 'system' || role === 'developer';
}

type ReadMessage = ChainedMessage & { items: InputItem[] };

/** The state of earlier messages: the kinds of calls, and the last `function_call`. */
type Reader = {
  calls: Map<string, 'function' | 'custom'>;
  openFunction: { id: string; name: string } | null;
  usesFunctions: boolean;
};

function readMessage(given: Given, at: number, reader: Reader): Omit<ReadMessage, 'role'> {
  const path = ['messages', at];
  switch (given.role) {
    case 'system':
    case 'developer': {
      const text = readMessageText(readValue(Written, given, path).content, [...path, 'content'], '\n');
      return { ...plain(text), items: text === '' ? [] : [{ role: given.role, content: text }] };
    }
    case 'user': {
      const content = readMessageParts(readValue(Written, given, path).content, [...path, 'content']);
      if (content.length === 0) throw emptyMessage(path);
      return { ...plain(plainContent(content)), items: [{ role: 'user', content }] };
    }
    case 'assistant':
      return readAssistant(readValue(Assistant, given, path), path, reader);
    case 'tool': {
      const { tool_call_id: id, content } = readValue(ToolResult, given, path);
      const output = readMessageParts(content, [...path, 'content']);
      const type = reader.calls.get(id) === 'custom' ? 'custom_tool_call_output' : 'function_call_output';
      return { ...plain(plainContent(output)), answers: id, items: [{ type, call_id: id, output }] };
    }
    case 'function':
      return readFunctionResult(readValue(FunctionResult, given, path), path, reader);
    default: {
      const message = `Messages of the role ${quote(given.role)} are not supported here. Use one of ${ROLES}.`;
      throw new RequestRefused(400, 'invalid_value', message, renderPath([...path, 'role']));
    }
  }
}

const ROLES = 'system, developer, user, assistant, tool, function';

const Written = z.object({ content: GivenContent });
const ToolResult = z.object({ tool_call_id: z.string().min(1).max(256), content: GivenContent });
const FunctionResult = z.object({ name: z.string().min(1), content: GivenContent.nullable() });
const FunctionCall = z.object({ name: z.string().min(1), arguments: z.string() });
const Call = z.discriminatedUnion('type', [
  z.object({ id: z.string().min(1).max(256), type: z.literal('function'), function: FunctionCall }),
  z.object({
    id: z.string().min(1).max(256),
    type: z.literal('custom'),
    custom: z.object({ name: z.string().min(1), input: z.string() }),
  }),
]);
const Assistant = z.object({
  content: GivenContent.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(Call).max(1_000).nullish(),
  function_call: FunctionCall.nullish(),
  audio: z.null('audio of a model is not supported here, so send its text').optional(),
});

function plain(text: string): Omit<ReadMessage, 'role' | 'items'> {
  return { text, calls: [], answers: null };
}

function readAssistant(
  { content, refusal, tool_calls, function_call }: z.output<typeof Assistant>,
  path: PropertyKey[],
  reader: Reader,
): Omit<ReadMessage, 'role'> {
  const written = content ? readMessageText(content, [...path, 'content'], '') : '';
  const text = `${written}${refusal ?? ''}`;
  const said: InputItem[] = text === '' ? [] : [{ role: 'assistant', content: text }];
  if (function_call && tool_calls?.length) {
    const param = renderPath([...path, 'function_call']);
    const message = `${param} is the older form of tool_calls. Give only tool_calls.`;
    throw new RequestRefused(400, 'mutually_exclusive_parameters', message, param);
  }
  if (function_call) {
    reader.usesFunctions = true;
    const call_id = functionCallId(Number(path[1]));
    reader.openFunction = { id: call_id, name: function_call.name };
    const call = { type: 'function_call' as const, call_id, ...function_call };
    return { text, calls: [{ id: null, ...function_call }], answers: null, items: [...said, call] };
  }
  const calls = tool_calls ?? [];
  for (const { id, type } of calls) reader.calls.set(id, type);
  return {
    ...{ text, answers: null, items: [...said, ...calls.map(itemOfCall)] },
    calls: calls.map((call) =>
      call.type === 'custom'
        ? { id: call.id, name: call.custom.name, arguments: call.custom.input }
        : { id: call.id, ...call.function },
    ),
  };
}

function itemOfCall(call: z.output<typeof Call>): InputItem {
  if (call.type === 'custom') return { type: 'custom_tool_call', call_id: call.id, ...call.custom };
  return { type: 'function_call', call_id: call.id, ...call.function };
}

/** The older form has no ids, so a result belongs to the call before it. */
function readFunctionResult(
  { name, content }: z.output<typeof FunctionResult>,
  path: PropertyKey[],
  reader: Reader,
): Omit<ReadMessage, 'role'> {
  reader.usesFunctions = true;
  const output = readMessageParts(content ?? '', [...path, 'content']);
  const call_id = reader.openFunction?.name === name ? reader.openFunction.id : name;
  return { ...plain(plainContent(output)), answers: name, items: [{ type: 'function_call_output', call_id, output }] };
}

function emptyMessage(path: PropertyKey[]): RequestRefused {
  const param = renderPath([...path, 'content']);
  return new RequestRefused(400, 'invalid_value', `\`${param}\` is empty. Add text to the message.`, param);
}

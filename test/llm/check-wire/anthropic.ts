import { checkAnthropicForm } from './answer-form.ts';
import { checkServerTools } from './anthropic-server-tools.ts';
import { isObject, isSaid, repeated, unless } from './problems.ts';
import { checkAnthropicSchema } from './tool-schema.ts';

type Block = { type?: string } & Record<string, unknown>;
type Message = { role?: string; content?: string | Block[] };
type Declared = { name?: string; type?: string; input_schema?: Record<string, unknown> };
type Body = {
  model?: string;
  max_tokens?: number;
  system?: unknown;
  messages?: Message[];
  tools?: Declared[];
  tool_choice?: { type?: string; name?: string };
  stream?: unknown;
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the reasons of the Messages API to refuse a request. */
export function checkAnthropic(request: object): string[] {
  const body = request as Body;
  const { messages = [] } = body;
  return [
    ...unless(Boolean(body.model), 'no model'),
    ...unless(Number.isInteger(body.max_tokens) && Number(body.max_tokens) > 0, 'no max_tokens'),
    ...unless(body.stream === true, 'a reply that would not stream'),
    ...unless(body.system === undefined || isSaid(body.system) || Array.isArray(body.system), 'an empty system prompt'),
    ...unless(messages.length > 0, 'no messages'),
    ...messages.flatMap((_, index) => checkMessage(messages, index).map((problem) => `[${index}] ${problem}`)),
    ...repeated(messages.flatMap(callIds)).map((id) => `two calls with the id ${id}`),
    ...checkEnd(messages.at(-1)),
    ...checkTools(body),
    ...checkServerTools({ ...request }),
    ...checkAnthropicForm({ ...request }),
  ];
}

function checkMessage(messages: Message[], index: number): string[] {
  const message = messages[index]!;
  const blocks = blocksOf(message);
  return [
    ...unless(message.role === (index % 2 === 0 ? 'user' : 'assistant'), `${message.role} out of turn`),
    ...unless(blocks.length > 0, 'no content'),
    ...blocks.flatMap((block) => checkBlock(block, message.role)),
    ...(message.role === 'user' ? checkResults(blocks, callIds(messages[index - 1])) : []),
    ...unless(callIds(message).length === 0 || index < messages.length - 1, 'calls at the end'),
    ...unless(!/^(redacted_)?thinking$/.test(blocks.at(-1)?.type ?? ''), 'a thought at the end of a message'),
  ];
}

function checkBlock(block: Block, role: string | undefined): string[] {
  switch (block.type) {
    case 'text':
      return unless(isSaid(block.text), 'a blank text');
    case 'tool_use':
      return [
        ...unless(role === 'assistant', 'a call of the user'),
        ...unless(/^[a-zA-Z0-9_-]+$/.test(String(block.id)), `the id ${block.id}`),
        ...unless(NAME.test(String(block.name)), `the name ${block.name}`),
        ...unless(isObject(block.input), 'an input that is no object'),
      ];
    case 'tool_result':
      return [
        ...unless(role === 'user', 'a result of the assistant'),
        ...unless(isSaid(block.content) || isFilled(block.content), 'an empty result'),
        ...(Array.isArray(block.content) ? block.content.flatMap((each) => checkBlock(each, role)) : []),
        ...unless(block.is_error === undefined || block.is_error === true, 'an is_error of another value than true'),
      ];
    case 'image':
    case 'document':
      return [
        ...unless(role === 'user', `an ${block.type} of the assistant`),
        ...unless(isObject(block.source) && isSaid(block.source.url ?? block.source.data), 'a part without a source'),
      ];
    case 'thinking':
      return [...unless(role === 'assistant', 'a thought of the user'), ...unless(isSaid(block.signature), 'unsigned')];
    default:
      return unless(isSaid(block.type), 'a block without a type');
  }
}

/** Checks that the results answer all calls of the message before, once each, at the start. */
function checkResults(blocks: Block[], asked: unknown[]): string[] {
  const answered = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
  const first = blocks.slice(0, answered.length);
  return [
    ...asked.flatMap((id) => unless(answered.includes(id), `the call ${id} is not answered`)),
    ...answered.flatMap((id) => unless(asked.includes(id), `the result ${id} without a call`)),
    ...repeated(answered).map((id) => `the call ${id} is answered twice`),
    ...unless(
      first.every(({ type }) => type === 'tool_result'),
      'words before the results',
    ),
  ];
}

function isFilled(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0;
}

function checkEnd(last: Message | undefined): string[] {
  const text = last?.role === 'assistant' ? blocksOf(last).at(-1)?.text : undefined;
  return unless(typeof text !== 'string' || text === text.trimEnd(), 'a prefill that ends in white space');
}

function checkTools({ messages = [], tools, tool_choice: choice }: Body): string[] {
  const names = (tools ?? []).map(({ name }) => name ?? '');
  const isUsed = messages.some((message) => callIds(message).length > 0);
  return [
    ...unless(!isUsed || names.length > 0, 'calls in the history, and no tools declared'),
    ...unless(!tools || tools.length > 0, 'an empty list of tools'),
    ...names.flatMap((name) => unless(NAME.test(name), `a tool with the name ${name}`)),
    ...repeated(names).map((name) => `two tools with the name ${name}`),
    ...(tools ?? []).flatMap(checkSchema),
    ...unless(!choice || names.length > 0, 'a tool choice without tools'),
    ...unless(choice?.type !== 'tool' || names.includes(choice.name ?? ''), `a choice of ${choice?.name}`),
  ];
}

/** Checks the schema of a tool. Tools that the server runs have their own type and no schema. */
function checkSchema({ type, input_schema: schema }: Declared): string[] {
  if (type && type !== 'custom') return [];
  return checkAnthropicSchema(schema);
}

function callIds(message: Message | undefined): unknown[] {
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

function blocksOf(message: Message | undefined): Block[] {
  const content = message?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

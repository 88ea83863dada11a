import { checkOpenaiForm } from './answer-form.ts';
import { isObject, isObjectText, isSaid, repeated, unless } from './problems.ts';
import { checkOpenaiSchema } from './tool-schema.ts';

type Call = { id?: string; type?: string; function?: { name?: string; arguments?: unknown } };
type Message = { role?: string; content?: unknown; tool_calls?: Call[]; tool_call_id?: string };
type Declared = { type?: string; function?: { name?: string; parameters?: unknown; strict?: unknown } };
type Body = {
  model?: string;
  messages?: Message[];
  tools?: Declared[];
  tool_choice?: string | { function?: { name?: string } };
  parallel_tool_calls?: unknown;
  stream?: unknown;
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const ID = /^[a-zA-Z0-9_-]{1,40}$/;

/**
 * Returns the reasons of the strictest Chat Completions servers to refuse a request. `id` matches the valid call ids:
 * OpenAI up to 40 characters, Mistral exactly nine letters and digits.
 */
export function checkOpenai(request: object, id: RegExp = ID): string[] {
  const body = request as Body;
  const { messages = [] } = body;
  return [
    ...unless(Boolean(body.model), 'no model'),
    ...unless(messages.length > 0, 'no messages'),
    ...unless(body.stream === true, 'a reply that would not stream'),
    ...messages.flatMap((message, index) => checkMessage(message, id).map((problem) => `[${index}] ${problem}`)),
    ...messages.flatMap((_, index) => checkOrder(messages, index).map((problem) => `[${index}] ${problem}`)),
    ...checkTools(body),
    ...checkOpenaiForm({ ...request }),
  ];
}

function checkMessage(message: Message, id: RegExp): string[] {
  const { role, content, tool_calls: calls } = message;
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      return [
        ...unless(isFilled(content), `a ${role} message without content`),
        ...unless(role === 'user' || typeof content === 'string', `parts of a ${role}`),
        ...(Array.isArray(content) ? content.flatMap(checkPart) : []),
        ...unless(!calls, `calls of a ${role}`),
      ];
    case 'assistant':
      return [
        ...unless(isFilled(content) || (content === null && Boolean(calls)), 'an assistant without text and calls'),
        ...unless(!calls || calls.length > 0, 'an empty list of calls'),
        ...(calls ?? []).flatMap((call) => checkCall(call, id)),
        ...repeated((calls ?? []).map((call) => call.id)).map((twice) => `two calls with the id ${twice}`),
      ];
    case 'tool':
      return [
        ...unless(isFilled(content) && typeof content === 'string', 'a result that is no text'),
        ...unless(!calls, 'calls of a tool'),
      ];
    default:
      return [`the role ${role}`];
  }
}

function checkPart({ type, text, image_url: image, file, input_audio: audio }: Record<string, unknown>): string[] {
  switch (type) {
    case 'text':
      return unless(isSaid(text), 'a blank text');
    case 'image_url':
      return unless(isObject(image) && /^(https:|data:image\/)/.test(String(image.url)), 'an image without an address');
    case 'file':
      return unless(isObject(file) && isSaid(file.filename) && isSaid(file.file_data), 'a file without a name or data');
    case 'input_audio':
      return unless(isObject(audio) && isSaid(audio.data) && isSaid(audio.format), 'audio without data or a format');
    default:
      return [`a part of type ${type}`];
  }
}

function isFilled(content: unknown): boolean {
  return (typeof content === 'string' || Array.isArray(content)) && content.length > 0;
}

function checkCall({ id, type, function: named }: Call, allowed: RegExp): string[] {
  return [
    ...unless(allowed.test(id ?? ''), `the id ${id}`),
    ...unless(type === 'function', `a call of type ${type}`),
    ...unless(NAME.test(named?.name ?? ''), `the name ${named?.name}`),
    ...unless(isObjectText(named?.arguments), 'arguments that are no object'),
  ];
}

/** Checks that each call is answered exactly once, directly after it. */
function checkOrder(messages: Message[], index: number): string[] {
  const { role, tool_calls: calls = [] } = messages[index] ?? {};
  if (role === 'tool') {
    const before = messages.slice(0, index).findLast((message) => message.role !== 'tool');
    const isAsked = before?.tool_calls?.some(({ id }) => id === messages[index]?.tool_call_id);
    return unless(Boolean(isAsked), 'a result without a call');
  }
  if (calls.length === 0) return [];
  const end = messages.findIndex((message, at) => at > index && message.role !== 'tool');
  const answered = messages.slice(index + 1, end === -1 ? messages.length : end).map((message) => message.tool_call_id);
  return [
    ...calls.flatMap(({ id }) => unless(answered.includes(id), `the call ${id} is not answered`)),
    ...repeated(answered).map((id) => `the call ${id} is answered twice`),
  ];
}

function checkTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Body): string[] {
  const names = (tools ?? []).map((tool) => tool.function?.name ?? '');
  const isStrict = (tool: Declared) => tool.function?.strict === true;
  const named = typeof choice === 'object' ? choice.function?.name : undefined;
  return [
    ...unless(!tools || tools.length > 0, 'an empty list of tools'),
    ...names.flatMap((name) => unless(NAME.test(name), `a tool with the name ${name}`)),
    ...(tools ?? []).flatMap((tool) => unless(isObject(tool.function?.parameters), 'a tool without a schema')),
    ...(tools ?? []).flatMap((tool) => checkOpenaiSchema(tool.function?.parameters, isStrict(tool))),
    ...repeated(names).map((name) => `two tools with the name ${name}`),
    ...unless(Boolean(tools) || (choice === undefined && parallel === undefined), 'a tool choice without tools'),
    ...unless(named === undefined || names.includes(named), `a choice of ${named}, which is not declared`),
  ];
}

import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { CompletionBody } from '../completion-body.ts';

/**
 * Renames the fields of a refusal. Pawl checks a completion as the equivalent response, so the refusal has the field
 * names of a response. Ids of responses become ids of completions.
 */
export function inCompletionWords(refused: RequestRefused, body: CompletionBody): RequestRefused {
  const { status, code, param } = refused;
  const own = param === null ? null : ownPath(param, body);
  // The field `input` is also an ordinary word, so sentences do not name it.
  const isNamed = param !== null && own !== null && param !== 'input';
  const renamed = isNamed ? refused.message.replaceAll(param, own) : refused.message;
  const previous = body.pawl?.previous_completion_id;
  const known = previous ? renamed.replaceAll(responseIdOf(previous), previous) : renamed;
  const plain = WORDS.reduce((text, [response, completion]) => text.replaceAll(response, completion), known);
  const message = body.messages.some(isOlder) ? inOlderWords(plain, body) : plain;
  return new RequestRefused(status, code, message, own);
}

/** Returns the id of the response for a completion, whether it exists or not. */
export function responseIdOf(completionId: string): string {
  return completionId.replace(/^chatcmpl-/, 'resp_');
}

function isOlder({ role, function_call }: CompletionBody['messages'][number]): boolean {
  return role === 'function' || Boolean(function_call);
}

/** A call in the older form has no id, so sentences name its function. */
function inOlderWords(sentence: string, { messages }: CompletionBody): string {
  return sentence
    .replaceAll(/"?function_call_(\d+)"?/g, (_, at: string) => {
      const call = messages[Number(at)]?.function_call as { name?: string } | undefined;
      return quote(call?.name ?? 'the function');
    })
    .replace('Send a tool message with this tool_call_id', 'Send a function message with this name');
}

/** Terms in sentences about responses, and the terms for completions. */
const WORDS: [RegExp, string][] = [
  [/\bresp_(?=[0-9a-z]{26}\b)/g, 'chatcmpl-'],
  [/^Previous response/g, 'Previous completion'],
  [/\bstored response\b/g, 'stored completion'],
  [/\bSend a function_call_output with this call_id\b/g, 'Send a tool message with this tool_call_id'],
];

function ownPath(param: string, body: CompletionBody): string {
  const renames: [RegExp, string][] = [
    [/^input\b(.*)\.call_id$/, `messages$1.${resultField(body, param)}`],
    [/^input\b(.*)\.data$/, 'messages$1.input_audio.data'],
    [/^input\b(.*)\.(file_\w+)$/, 'messages$1.file.$2'],
    [/^input\b(.*)\.image_url$/, 'messages$1.image_url.url'],
    [/^input\b/, 'messages'],
    [/^previous_response_id$/, 'pawl.previous_completion_id'],
    [/^text\.format\.schema\b/, 'response_format.json_schema.schema'],
    [/^text\.format\b/, 'response_format'],
    [/^text\.verbosity$/, 'verbosity'],
    [/^reasoning\.effort$/, 'reasoning_effort'],
    [/^max_output_tokens$/, body.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens'],
    [/^pawl\.provider_options\.(stop|seed)$/, '$1'],
    [/^tool_choice\.tools\b(\[\d+\])/, `tool_choice.allowed_tools.tools$1.${allowedType(body, param)}`],
    [/^tool_choice\b/, body.function_call ? 'function_call' : choicePath(body)],
  ];
  const rename = renames.find(([pattern]) => pattern.test(param));
  if (rename) return param.replace(rename[0], rename[1]);
  return param.replace(/^tools\[(\d+)\](.*)$/, (_, index: string, field: string) => toolPath(body, index, field));
}

/** Returns the field by which a result names its call. */
function resultField({ messages }: CompletionBody, param: string): string {
  return messages[Number(/\d+/.exec(param)?.[0])]?.role === 'function' ? 'name' : 'tool_call_id';
}

function allowedType({ tool_choice }: CompletionBody, param: string): string {
  const index = Number(/\d+/.exec(param)?.[0]);
  const isList = typeof tool_choice === 'object' && tool_choice?.type === 'allowed_tools';
  return (isList && tool_choice.allowed_tools.tools[index]?.type) || 'function';
}

function choicePath({ tool_choice }: CompletionBody): string {
  if (!tool_choice || typeof tool_choice === 'string') return 'tool_choice';
  return `tool_choice.${tool_choice.type}`;
}

function toolPath({ functions, tools }: CompletionBody, index: string, field: string): string {
  if (functions) return `functions[${index}]${field}`;
  return `tools[${index}].${tools?.[Number(index)]?.type ?? 'function'}${field}`;
}

import { checkResponsesItem, type ResponsesServer } from './openai-responses-items.ts';
import { checkResponsesOrder } from './openai-responses-order.ts';
import { isObject, repeated, unless } from './problems.ts';
import { checkStrictSchema } from './strict-schema.ts';
import { checkOpenaiSchema } from './tool-schema.ts';

type Fields = Record<string, unknown>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

const FIELDS = new Set([
  ...['model', 'instructions', 'input', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_tool_calls', 'reasoning'],
  ...['text', 'max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'truncation', 'store', 'stream', 'include'],
  ...['stream_options', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier'],
  ...['metadata', 'service_tier', 'background', 'previous_response_id', 'conversation', 'context_management', 'prompt'],
  ...['user', 'moderation', 'image', 'access_programs'],
]);

/** Returns the reasons of OpenAI's Responses API to refuse a request. */
export function checkOpenaiResponses(request: object, server: ResponsesServer = {}): string[] {
  const body = { ...request } as Fields;
  const { input } = body;
  const items = Array.isArray(input) ? input : [];
  return [
    ...Object.keys(body).flatMap((field) => unless(FIELDS.has(field), `Unknown parameter: '${field}'.`)),
    ...unless(typeof body.model === 'string' && body.model !== '', "Missing required parameter: 'model'."),
    ...unless(items.length > 0 || (typeof input === 'string' && input !== ''), "Missing required parameter: 'input'."),
    ...unless(body.instructions === undefined || isText(body.instructions), "Invalid type for 'instructions'."),
    ...unless(body.stream === true, 'a reply that would not stream'),
    ...unless(body.store === false, 'a response that would be stored'),
    ...items.flatMap((item, at) => checkResponsesItem(item, `input[${at}]`, server)),
    ...checkResponsesOrder(items),
    ...checkTools(body),
    ...checkText(body.text),
    ...checkSampling(body),
    ...checkModel(body, server.reasons ?? reasons),
    ...checkCache(body),
  ];
}

function reasons(model: string): boolean {
  return /^(o\d|gpt-(5|6))/.test(model) && !/-chat/.test(model);
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && NAME.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

const TOOL = ['type', 'name', 'description', 'parameters', 'strict', 'defer_loading', 'allowed_callers', 'async'];
const HOSTED = new Set([
  ...['web_search', 'file_search', 'code_interpreter', 'image_generation', 'mcp', 'computer', 'shell', 'custom'],
  ...['apply_patch', 'tool_search', 'local_shell', 'programmatic_tool_calling', 'namespace'],
]);
const CHOICES = new Set<unknown>([undefined, 'auto', 'none', 'required']);

function checkTools({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Fields): string[] {
  const all = Array.isArray(tools) ? tools.filter(isObject) : [];
  const names = all.flatMap(({ type, name }) => (type === 'function' ? String(name) : []));
  const named = isObject(choice) && choice.type === 'function' ? choice.name : undefined;
  const isForced = choice === 'required' || isObject(choice);
  return [
    ...all.flatMap((tool, at) => checkTool(tool, `tools[${at}]`)),
    ...repeated(names).map((name) => `two tools with the name ${name}`),
    ...unless(isObject(choice) || CHOICES.has(choice), `Invalid value: '${choice}'.`),
    ...unless(all.length > 0 || !isForced, `Tool choice '${choice}' must be specified with 'tools' parameter.`),
    ...unless(named === undefined || names.includes(String(named)), `Tool choice 'function' not found in 'tools'.`),
    ...unless(parallel === undefined || typeof parallel === 'boolean', "Invalid type for 'parallel_tool_calls'."),
  ];
}

function checkTool(tool: Fields, path: string): string[] {
  const { type, name, parameters, strict } = tool;
  if (type !== 'function') return unless(HOSTED.has(String(type)), `Invalid value: '${type}'. (${path}.type)`);
  const unknown = Object.keys(tool).filter((field) => ![...TOOL, 'output_schema'].includes(field));
  const schema = strict === true ? checkStrictSchema(parameters) : checkOpenaiSchema(parameters);
  return [
    ...unknown.map((field) => `Unknown parameter: '${path}.${field}'.`),
    ...unless(isName(name), `Invalid '${path}.name': string does not match pattern.`),
    ...unless(typeof strict === 'boolean', `Missing required parameter: '${path}.strict'.`),
    ...schema.map((problem) => `Invalid schema for function '${name}': ${problem}`),
  ];
}

function checkText(text: unknown): string[] {
  if (text === undefined) return [];
  if (!isObject(text)) return ["Invalid type for 'text'."];
  const { format, verbosity, ...others } = text;
  return [
    ...Object.keys(others).map((field) => `Unknown parameter: 'text.${field}'.`),
    ...unless(
      verbosity === undefined || /^(low|medium|high)$/.test(String(verbosity)),
      `Invalid value: '${verbosity}'.`,
    ),
    ...(format === undefined ? [] : checkFormat(format)),
  ];
}

function checkFormat(format: unknown): string[] {
  const { type, name, schema, strict, description, ...others } = isObject(format) ? format : {};
  const unknown = Object.keys(others).map((field) => `Unknown parameter: 'text.format.${field}'.`);
  if (type === 'text' || type === 'json_object') {
    return [
      ...unknown,
      ...unless(schema === undefined && name === undefined, "Unknown parameter: 'text.format.name'."),
    ];
  }
  const problems = strict === true ? checkStrictSchema(schema) : unless(isObject(schema), 'schema must be an object.');
  return [
    ...unknown,
    ...unless(type === 'json_schema', `Invalid value: '${type}'. (text.format.type)`),
    ...unless(isName(name), "Missing required parameter: 'text.format.name'."),
    ...unless(description === undefined || isText(description), "Invalid type for 'text.format.description'."),
    ...problems.map((problem) => `Invalid schema for response_format '${name}': ${problem}`),
  ];
}

function checkSampling({ temperature, top_p: topP, max_output_tokens: most }: Fields): string[] {
  const isWithin = (value: unknown, end: number) =>
    value === undefined || (typeof value === 'number' && value >= 0 && value <= end);
  const minimum = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${most} instead.`;
  return [
    ...unless(isWithin(temperature, 2), "Invalid 'temperature'."),
    ...unless(isWithin(topP, 1), "Invalid 'top_p'."),
    ...unless(most === undefined || (Number.isInteger(most) && Number(most) >= 16), minimum),
  ];
}

const EFFORTS = /^(none|minimal|low|medium|high|xhigh|max)$/;
const INCLUDABLE = new Set([
  ...[
    'reasoning.encrypted_content',
    'file_search_call.results',
    'web_search_call.results',
    'message.output_text.logprobs',
  ],
  ...['web_search_call.action.sources', 'code_interpreter_call.outputs', 'message.input_image.image_url'],
]);

/** Checks that a reasoning model gets no sampling, and that other models get no reasoning options. */
function checkModel(body: Fields, isReasoning: (model: string) => boolean): string[] {
  const { model, include, reasoning } = body;
  const included = Array.isArray(include) ? include : [];
  const { effort, summary } = isObject(reasoning) ? reasoning : {};
  const unsupported = (field: string) => `Unsupported parameter: '${field}' is not supported with this model.`;
  const sampled = ['temperature', 'top_p'].filter((field) => body[field] !== undefined);
  const seals = included.includes('reasoning.encrypted_content');
  return [
    ...included.flatMap((each) => unless(INCLUDABLE.has(each), `Invalid value: '${each}'. (include)`)),
    ...unless(effort === undefined || EFFORTS.test(String(effort)), `Invalid value: '${effort}'. (reasoning.effort)`),
    ...unless(
      summary === undefined || /^(auto|concise|detailed)$/.test(String(summary)),
      `Invalid value: '${summary}'.`,
    ),
    ...(isReasoning(String(model))
      ? sampled.map(unsupported)
      : [
          ...unless(!seals, 'Encrypted content is not supported with this model.'),
          ...unless(effort === undefined, unsupported('reasoning.effort')),
          ...unless(summary === undefined, unsupported('reasoning.summary')),
        ]),
  ];
}

function checkCache(body: Fields): string[] {
  const { prompt_cache_key: key, prompt_cache_options: cache, stream_options: stream } = body;
  const { ttl, mode, ...others } = isObject(cache) ? cache : {};
  const isKey = key === undefined || (typeof key === 'string' && key.length <= 64);
  const { include_obfuscation: obfuscation, ...unknown } = isObject(stream) ? stream : {};
  const both = cache !== undefined && body.prompt_cache_retention !== undefined;
  return [
    ...unless(isKey, "Invalid 'prompt_cache_key': string too long. Expected a string with maximum length 64."),
    ...Object.keys(others).map((field) => `Unknown parameter: 'prompt_cache_options.${field}'.`),
    ...unless(
      ttl === undefined || /^(30m|12h)$/.test(String(ttl)),
      `Invalid value: '${ttl}'. (prompt_cache_options.ttl)`,
    ),
    ...unless(mode === undefined || /^(implicit|explicit)$/.test(String(mode)), `Invalid value: '${mode}'.`),
    ...unless(!both, "'prompt_cache_retention' cannot be combined with 'prompt_cache_options'."),
    ...Object.keys(unknown).map((field) => `Unknown parameter: 'stream_options.${field}'.`),
    ...unless(obfuscation === undefined || typeof obfuscation === 'boolean', "Invalid type for 'stream_options'."),
  ];
}

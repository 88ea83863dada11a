import { isObject, isSaid, unless } from './problems.ts';

type Fields = Record<string, unknown>;
type Check = (item: Fields, path: string, server: ResponsesServer) => string[];

/** The knowledge of the server: its own encrypted reasoning and ids, and the models that reason. */
export type ResponsesServer = {
  isOwnSeal?: (sealed: string) => boolean;
  isOwnId?: (id: string) => boolean;
  reasons?: (model: string) => boolean;
};

/** Returns the reasons of OpenAI's Responses API to refuse an input item. */
export function checkResponsesItem(item: unknown, path: string, server: ResponsesServer): string[] {
  if (!isObject(item)) return [`Invalid type for '${path}': expected an object.`];
  const type = String(item.type ?? (item.role === undefined ? undefined : 'message'));
  const known = ITEMS[type];
  if (!known) return [`Invalid value: '${type}'. (${path}.type)`];
  const allowed = new Set(['type', 'id', 'status', ...known.fields]);
  const needed = known.isHosted ? ['id', 'status'] : [];
  return [
    ...Object.keys(item).flatMap((field) => unless(allowed.has(field), `Unknown parameter: '${path}.${field}'.`)),
    ...needed.flatMap((field) => unless(isSaid(item[field]), `Missing required parameter: '${path}.${field}'.`)),
    ...checkId(item.id, `${path}.id`, known.prefix),
    ...known.check(item, path, server),
  ];
}

const CALL_ID = 64;
const NAME = /^[a-zA-Z0-9_-]+$/;

const checkMessage: Check = ({ role, content }, path) => {
  const parts = Array.isArray(content) ? content : [];
  const isFilled = (typeof content === 'string' && content !== '') || parts.length > 0;
  const allowed = role === 'assistant' ? OUTPUT_PARTS : role === 'user' ? INPUT_PARTS : TEXT_PARTS;
  return [
    ...unless(/^(user|assistant|system|developer)$/.test(String(role)), `Invalid value: '${role}'. (${path}.role)`),
    ...unless(isFilled, `Invalid '${path}.content': it is empty.`),
    ...parts.flatMap((part, at) => checkPart(part, `${path}.content[${at}]`, allowed)),
  ];
};

const checkCall: Check = ({ call_id: id, name, arguments: args }, path, server) => [
  ...checkCallId(id, `${path}.call_id`, server),
  ...unless(
    typeof name === 'string' && NAME.test(name),
    `Invalid '${path}.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
  ),
  ...unless(typeof args === 'string', `Missing required parameter: '${path}.arguments'.`),
];

const checkOutput: Check = ({ call_id: id, output }, path, server) => {
  const parts = Array.isArray(output) ? output : [];
  return [
    ...checkCallId(id, `${path}.call_id`, server),
    ...unless(typeof output === 'string' || parts.length > 0, `Missing required parameter: '${path}.output'.`),
    ...parts.flatMap((part, at) => checkPart(part, `${path}.output[${at}]`, INPUT_PARTS)),
  ];
};

/** Without `store`, the server has only the encrypted content. Open models put their reasoning into `content`. */
const checkReasoning: Check = ({ id, summary, content, encrypted_content: sealed }, path, { isOwnSeal }) => {
  const parts = Array.isArray(content) ? content : [];
  const isHeld = isSaid(sealed) || parts.length > 0;
  const gone = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
  const isReadable = !isSaid(sealed) || !isOwnSeal || isOwnSeal(sealed);
  return [
    ...unless(Array.isArray(summary), `Missing required parameter: '${path}.summary'.`),
    ...unless(isHeld || id === undefined, gone),
    ...unless(isHeld || id !== undefined, `Missing required parameter: '${path}.encrypted_content'.`),
    ...unless(isReadable, `The encrypted content ${String(sealed).slice(0, 4)}... could not be verified.`),
    ...parts.flatMap((part, at) => checkPart(part, `${path}.content[${at}]`, REASONING_PARTS)),
  ];
};

const anything: Check = () => [];

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

const checkImage: Check = ({ result }, path) =>
  unless(result === null || BASE64.test(String(result)), `Invalid '${path}.result': it is not an image in base64.`);

const checkOutputs: Check = ({ outputs, container_id: id }, path) => [
  ...unless(isSaid(id), `Missing required parameter: '${path}.container_id'.`),
  ...(Array.isArray(outputs) ? outputs : []).flatMap(({ type, url }, at) =>
    unless(type !== 'image' || isSaid(url), `Invalid '${path}.outputs[${at}].url': it is empty.`),
  ),
];

type Known = { fields: string[]; prefix?: string; isHosted?: true; check: Check };

const CALLER = ['caller', 'namespace'];
const ITEMS: Record<string, Known> = {
  message: { fields: ['role', 'content', 'phase'], prefix: 'msg', check: checkMessage },
  function_call: { fields: ['call_id', 'name', 'arguments', 'async', ...CALLER], prefix: 'fc', check: checkCall },
  function_call_output: { fields: ['call_id', 'output', 'name', ...CALLER], check: checkOutput },
  reasoning: { fields: ['summary', 'content', 'encrypted_content'], prefix: 'rs', check: checkReasoning },
  custom_tool_call: { fields: ['call_id', 'name', 'input', ...CALLER], check: anything },
  custom_tool_call_output: { fields: ['call_id', 'output', 'caller'], check: checkOutput },
  web_search_call: { fields: ['action', 'results'], prefix: 'ws', isHosted: true, check: anything },
  file_search_call: { fields: ['queries', 'results'], prefix: 'fs', isHosted: true, check: anything },
  code_interpreter_call: {
    fields: ['code', 'container_id', 'outputs'],
    ...{ prefix: 'ci', isHosted: true, check: checkOutputs },
  },
  image_generation_call: {
    fields: [
      ...['result', 'action', 'background', 'error', 'output_format', 'quality', 'revised_prompt', 'size'],
      'svg_usage',
    ],
    ...{ prefix: 'ig', isHosted: true, check: checkImage },
  },
  mcp_list_tools: { fields: ['server_label', 'tools', 'error'], check: anything },
  mcp_call: {
    fields: ['server_label', 'name', 'arguments', 'approval_request_id', 'error', 'output'],
    check: anything,
  },
  tool_search_call: { fields: ['call_id', 'arguments', 'execution', 'caller'], check: anything },
  tool_search_output: { fields: ['call_id', 'tools', 'execution', 'caller'], check: anything },
  compaction: { fields: ['encrypted_content'], check: anything },
  program: { fields: ['call_id', 'code', 'fingerprint'], check: anything },
  program_output: { fields: ['call_id', 'result'], check: anything },
  item_reference: { fields: [], check: ({ id }) => [`Item with id '${id}' not found.`] },
};

function checkId(id: unknown, path: string, prefix: string | undefined): string[] {
  if (id === undefined || id === null) return [];
  const isKnown = typeof id === 'string' && (prefix === undefined || id.startsWith(prefix));
  return unless(isKnown, `Invalid '${path}': '${id}'. Expected an ID that begins with '${prefix}'.`);
}

function checkCallId(id: unknown, path: string, { isOwnId }: ResponsesServer): string[] {
  if (!isSaid(id)) return [`Missing required parameter: '${path}'.`];
  if (isOwnId?.(id)) return [];
  const wanted = `Expected a string with maximum length ${CALL_ID}, but got a string with length ${id.length} instead.`;
  return unless(id.length <= CALL_ID, `Invalid '${path}': string too long. ${wanted}`);
}

const IMAGE = /^(https?:|data:image\/)/;
const FILE = ['file_data', 'file_url', 'file_id'];
type Part = { fields: string[]; isValid(part: Fields): boolean };

const TEXT_PARTS: Record<string, Part> = {
  input_text: { fields: ['text', 'prompt_cache_breakpoint'], isValid: ({ text }) => isSaid(text) },
};
const INPUT_PARTS: Record<string, Part> = {
  ...TEXT_PARTS,
  input_image: {
    fields: ['image_url', 'file_id', 'detail', 'prompt_cache_breakpoint'],
    isValid: ({ image_url: url, file_id: id, detail }) =>
      (IMAGE.test(String(url)) || isSaid(id)) && /^(undefined|low|high|auto|original)$/.test(String(detail)),
  },
  input_file: {
    fields: [...FILE, 'filename', 'detail', 'prompt_cache_breakpoint'],
    isValid: ({ file_data: data, filename, ...file }) =>
      FILE.filter((field) => isSaid({ ...file, file_data: data }[field])).length === 1 &&
      (data === undefined || (isSaid(filename) && String(data).startsWith('data:'))),
  },
};
const OUTPUT_PARTS: Record<string, Part> = {
  output_text: {
    fields: ['text', 'annotations', 'logprobs'],
    isValid: ({ text, annotations }) => typeof text === 'string' && Array.isArray(annotations),
  },
  refusal: { fields: ['refusal'], isValid: ({ refusal }) => typeof refusal === 'string' },
};
const REASONING_PARTS: Record<string, Part> = {
  reasoning_text: { fields: ['text'], isValid: ({ text }) => typeof text === 'string' },
};

function checkPart(part: unknown, path: string, allowed: Record<string, Part>): string[] {
  if (!isObject(part)) return [`Invalid type for '${path}': expected an object.`];
  const known = allowed[String(part.type)];
  if (!known) return [`Invalid value: '${part.type}'. (${path}.type)`];
  const unknown = Object.keys(part).filter((field) => field !== 'type' && !known.fields.includes(field));
  return [
    ...unknown.map((field) => `Unknown parameter: '${path}.${field}'.`),
    ...unless(known.isValid(part), `Invalid '${path}': it is empty, or has an invalid value.`),
  ];
}

import { isObject, isSaid, unless } from './problems.ts';

type Block = { type?: string } & Record<string, unknown>;
type Message = { role?: string; content?: string | Block[] };
type Body = { tools?: Block[]; messages?: Message[]; container?: unknown };

/** The versions of the hosted tools, as the types of Anthropic's SDK list them. */
const VERSIONS = {
  web_search: ['20250305', '20260209', '20260318'],
  web_fetch: ['20250910', '20260209', '20260309', '20260318'],
  code_execution: ['20250522', '20250825', '20260120', '20260521'],
};
const TOOLS = new Map(
  Object.entries(VERSIONS).flatMap(([name, versions]) => versions.map((version) => [`${name}_${version}`, name])),
);

const MOST_MARKS = 4;

/** Returns the reasons of the Messages API to refuse server tools, their calls and results, and cache marks. */
export function checkServerTools(body: Body): string[] {
  const marks = JSON.stringify(body).split('"cache_control":{').length - 1;
  return [
    ...(body.tools ?? []).flatMap(checkTool),
    ...checkServerCalls(body),
    ...unless(marks <= MOST_MARKS, `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`),
  ];
}

function checkTool({ type, name, allowed_callers: callers }: Block): string[] {
  if (typeof type !== 'string' || !/^(web_search|web_fetch|code_execution)_/.test(type)) return [];
  const expected = TOOLS.get(type);
  if (!expected) return [`Input tag '${type}' found using 'type' does not match any of the expected tags`];
  return [
    ...unless(name === expected, `${type}.name: Input should be '${expected}'`),
    ...unless(callers === undefined || Array.isArray(callers), `${type}.allowed_callers: Input should be a valid list`),
  ];
}

/** Checks that each result follows its call, and that only results of functions are before a late result. */
function checkServerCalls({ messages = [], container, tools = [] }: Body): string[] {
  const called = new Map<unknown, Block>();
  const open = new Map<unknown, Block>();
  const problems = messages.flatMap(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [];
    if (role === 'assistant') return blocks.flatMap((block) => checkServerBlock(block, { called, open }));
    const isOther = typeof content === 'string' || blocks.some(({ type }) => type !== 'tool_result');
    return isOther ? [...open.values()].map(unanswered) : [];
  });
  const waits = messages.at(-1)?.role === 'user' && [...open.values()].some(({ name }) => name === 'code_execution');
  const hasServerTool = tools.some(({ type }) => TOOLS.has(String(type)));
  return [
    ...problems,
    ...unless(hasServerTool || messages.at(-1)?.role !== 'user' || open.size === 0, 'a pending call without its tool'),
    ...unless(!waits || container !== undefined, 'container_id is required when there are pending tool uses'),
    ...unless(container === undefined || isSaid(container) || isObject(container), 'container: not a valid string'),
    ...unless(container === undefined || hasServerTool || !isSaid(container), 'a container without a server tool'),
  ];
}

function unanswered({ id, name }: Block): string {
  return `\`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`;
}

type Calls = { called: Map<unknown, Block>; open: Map<unknown, Block> };

function checkServerBlock(block: Block, { called, open }: Calls): string[] {
  const { type = '', id, name, input, tool_use_id: answered, content, caller } = block;
  const tool = isObject(caller) ? caller.tool_id : undefined;
  const problems = unless(tool === undefined || called.has(tool), `the caller ${tool} is not in the history`);
  if (type === 'server_tool_use') {
    called.set(id, block);
    open.set(id, block);
    return [...problems, ...unless(isSaid(id) && isSaid(name) && isObject(input), `the server call ${id}`)];
  }
  if (!/_tool_result$/.test(type) || type === 'mcp_tool_result') return problems;
  open.delete(answered);
  const found = type === 'web_search_tool_result' && Array.isArray(content) ? content : [];
  return [
    ...problems,
    ...unless(called.has(answered), `unexpected \`tool_use_id\` found in \`${type}\` blocks: ${answered}`),
    ...unless(isObject(content) || Array.isArray(content), `${type}.content: Field required`),
    ...unless(found.every(isSealed), 'Invalid `encrypted_content` in `search_result` block'),
  ];
}

function isSealed(result: unknown): boolean {
  return isObject(result) && isSaid(result.encrypted_content);
}

/** Returns the encrypted texts of a request or an answer. Anthropic takes back only texts that it has made. */
export function sealsIn(json: string): string[] {
  return [...json.matchAll(/"encrypted_\w+":"((?:[^"\\]|\\.)*)"/g)].map(([, sealed = '']) => sealed);
}

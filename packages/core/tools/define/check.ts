import { quote, shorten } from '../../text.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { checkSchema, type Problem } from './check-schema.ts';

/** `strict` follows the contract; `provider` accepts what providers do (`PAWL_TOOL_RULES=provider`, MCP tools). */
export type ToolRules = 'strict' | 'provider';

const NAMES = {
  strict: {
    pattern: /^[a-z][a-z0-9_]{0,63}$/,
    message: 'start with a lowercase letter, then up to 63 lowercase letters, digits and underscores',
  },
  provider: {
    pattern: /^[a-zA-Z0-9_-]{1,64}$/,
    message: 'use 1 to 64 letters, digits, underscores and hyphens',
  },
} as const;

/** Headers that carry the request itself, or that Pawl sets. */
const RESERVED_HEADERS =
  /^(?:host|content-length|content-type|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|idempotency-key|pawl-turn-id|webhook-(?:id|timestamp|signature))$/i;

/** Definitions that passed, by rules: tools of the registry come with each request. */
const validTools: Record<ToolRules, WeakSet<Tool>> = { strict: new WeakSet(), provider: new WeakSet() };

/**
 * The problems of these definitions by the contract's rules for tools, at most one for each path. Stops once there are
 * `enough`.
 */
export async function checkDefinitions(
  tools: readonly Tool[],
  rules: ToolRules,
  enough = Number.POSITIVE_INFINITY,
): Promise<Problem[]> {
  const problems = new Map<string, Problem>();
  for (const [index, tool] of tools.entries()) {
    const found = [...(await checkTool(tool, index, rules)), ...checkUnique(tools, index)];
    for (const problem of found) if (!problems.has(problem.path)) problems.set(problem.path, problem);
    if (problems.size >= enough) break;
  }
  return [...problems.values()];
}

async function checkTool(tool: Tool, index: number, given: ToolRules): Promise<Problem[]> {
  const rules = tool.execution?.kind === 'mcp' ? 'provider' : given;
  if (validTools[rules].has(tool)) return [];
  await yieldToEventLoop();
  const problems = checkAll(tool, `tools[${index}]`, rules);
  if (problems.length === 0) validTools[rules].add(tool);
  return problems;
}

function checkAll(tool: Tool, path: string, rules: ToolRules): Problem[] {
  return [
    ...checkName(tool.name, `${path}.name`, rules),
    ...checkDescription(tool.description, `${path}.description`, rules),
    ...checkSchema(tool.parameters, `${path}.parameters`),
    ...checkHeaders(tool, `${path}.execution.headers`),
    ...checkCache(tool, `${path}.cache_ttl_seconds`),
  ];
}

function checkName(name: string, path: string, rules: ToolRules): Problem[] {
  const { pattern, message } = NAMES[rules];
  return pattern.test(name) ? [] : [{ path, message: `Give the tool another name: ${message}.` }];
}

function checkDescription(description: string, path: string, rules: ToolRules): Problem[] {
  const length = [...description].length;
  if (rules === 'provider' || (length >= 10 && length <= 500)) return [];
  return [{ path, message: `Describe the tool in 10 to 500 characters; this has ${length}.` }];
}

function checkUnique(tools: readonly Tool[], index: number): Problem[] {
  const { name } = tools[index] ?? {};
  if (name === undefined || tools.findIndex((tool) => tool.name === name) === index) return [];
  return [{ path: `tools[${index}].name`, message: `Give each tool its own name; ${quote(name)} is there already.` }];
}

function checkHeaders({ execution }: Tool, path: string): Problem[] {
  if (execution?.kind !== 'http') return [];
  const names = Object.keys(execution.headers).map((name) => name.toLowerCase());
  return Object.entries(execution.headers).flatMap(([name, value], index) => {
    const isAgain = names.indexOf(name.toLowerCase()) < index;
    const message = isAgain ? 'Give each header once; case makes no difference.' : headerProblem(name, value);
    return message ? [{ path: `${path}.${shorten(name)}`, message }] : [];
  });
}

/** Refuses a cache time for answers that are never reused. */
function checkCache({ effect, execution, cache_ttl_seconds: seconds }: Tool, path: string): Problem[] {
  if (seconds === 0) return [];
  if (execution?.kind === 'client')
    return [{ path, message: 'Leave it out: what a client answers is not used again.' }];
  if (effect === 'none') return [];
  return [{ path, message: `Leave it out, or say effect "none": what an ${effect} tool answers is not used again.` }];
}

function headerProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)) return 'Name the header with letters, digits and hyphens.';
  if (RESERVED_HEADERS.test(name)) return 'Leave this header out; it is set for you.';
  return /^[\t\x20-\x7e]*$/.test(value) ? null : 'Give the header a value of visible ASCII characters on one line.';
}

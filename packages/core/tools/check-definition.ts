import { breathe } from '../breathe.ts';
import { shorten } from '../text.ts';
import type { Tool } from '../turn/tool.ts';
import { checkSchema } from './check-schema.ts';

/** One rule that a definition breaks: where, and what to do about it. */
export type Problem = { path: string; message: string };

/** `strict` is the contract's; `provider` takes what providers take (`PAWL_TOOL_RULES=provider`, tools of MCP servers). */
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

/** Definitions that were found right, by the rules they were held against. Tools of the registry are given again and again. */
const right: Record<ToolRules, WeakSet<Tool>> = { strict: new WeakSet(), provider: new WeakSet() };

/**
 * What the contract's rules for tools find wrong with these definitions, at most one problem for each path. Goes through
 * them one by one, and no further once there are `enough` problems.
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
  if (right[rules].has(tool)) return [];
  await breathe();
  const problems = checkAll(tool, `tools[${index}]`, rules);
  if (problems.length === 0) right[rules].add(tool);
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
  const name = tools[index]?.name;
  const first = tools.findIndex((tool) => tool.name === name);
  if (first === index) return [];
  return [{ path: `tools[${index}].name`, message: `Give each tool its own name; tools[${first}] has this one.` }];
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

/** A time to keep answers that would never be used again. */
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

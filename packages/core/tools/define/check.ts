import { quote, shorten } from '../../text.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { type SchemaSource, schemaSource } from '../arguments/require-usable.ts';
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

/** Whose definitions are checked, if not the operator's, and how many problems are enough. */
type Checking = { project?: string; enough?: number };

/** Returns the problems of these definitions by the contract's rules for tools, at most one for each path. */
export async function checkDefinitions(
  tools: readonly Tool[],
  rules: ToolRules,
  { project = '', enough = Number.POSITIVE_INFINITY }: Checking = {},
): Promise<Problem[]> {
  const source = schemaSource(project);
  const problems = new Map<string, Problem>();
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    await yieldToEventLoop();
    const path = `tools[${index}]`;
    const found = [...(await checkTool(tool, path, { rules, source })), ...checkUnique(tool, path, names)];
    names.add(tool.name);
    for (const problem of found) if (!problems.has(problem.path)) problems.set(problem.path, problem);
    if (problems.size >= enough) break;
  }
  return [...problems.values()];
}

type By = { rules: ToolRules; source: SchemaSource };

async function checkTool(tool: Tool, path: string, by: By): Promise<Problem[]> {
  const rules = tool.execution?.kind === 'mcp' ? 'provider' : by.rules;
  if (validTools[rules].has(tool)) return [];
  const problems = await checkAll(tool, path, { ...by, rules });
  if (problems.length === 0) validTools[rules].add(tool);
  return problems;
}

async function checkAll(tool: Tool, path: string, { rules, source }: By): Promise<Problem[]> {
  return [
    ...checkName(tool.name, `${path}.name`, rules),
    ...checkDescription(tool.description, `${path}.description`, rules),
    ...(await checkSchema(tool.parameters, `${path}.parameters`, source)),
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

function checkUnique({ name }: Tool, path: string, before: ReadonlySet<string>): Problem[] {
  if (!before.has(name)) return [];
  return [{ path: `${path}.name`, message: `Give each tool its own name; ${quote(name)} is there already.` }];
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

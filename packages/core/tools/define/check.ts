import { quote, shorten } from '../../text.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { type SchemaSource, schemaSource } from '../arguments/require-usable.ts';
import { checkSchema, type Problem } from './check-schema.ts';

/**
 * The rules for tools. `strict` has Pawl's rules. `provider` has the looser rules of providers
 * (`PAWL_TOOL_RULES=provider`, MCP).
 */
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

/** Headers that HTTP needs for the request, or that Pawl sets. */
const RESERVED_HEADERS =
  /^(?:host|content-length|content-type|transfer-encoding|connection|keep-alive|upgrade|te|trailer|expect|idempotency-key|pawl-turn-id|webhook-(?:id|timestamp|signature))$/i;

/** The valid definitions, by rules. Each request has the tools of the registry, so they are checked once. */
const validTools: Record<ToolRules, WeakSet<Tool>> = { strict: new WeakSet(), provider: new WeakSet() };

/** The project of the definitions (the operator's by default), and the number of problems to stop at. */
type Checking = { project?: string; enough?: number };

/** Returns the problems of definitions, at most a single problem for each path. */
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
  return [{ path, message: `The description has ${length} characters. Describe the tool in 10 to 500 characters.` }];
}

function checkUnique({ name }: Tool, path: string, before: ReadonlySet<string>): Problem[] {
  if (!before.has(name)) return [];
  return [
    {
      path: `${path}.name`,
      message: `The name ${quote(name)} is already used by another tool. Give each tool its own name.`,
    },
  ];
}

function checkHeaders({ execution }: Tool, path: string): Problem[] {
  if (execution?.kind !== 'http') return [];
  const names = Object.keys(execution.headers).map((name) => name.toLowerCase());
  return Object.entries(execution.headers).flatMap(([name, value], index) => {
    const isAgain = names.indexOf(name.toLowerCase()) < index;
    const message = isAgain
      ? 'The header is given twice. Upper and lower case count as equal. Give each header once.'
      : headerProblem(name, value);
    return message ? [{ path: `${path}.${shorten(name)}`, message }] : [];
  });
}

function checkCache({ effect, execution, cache_ttl_seconds: seconds }: Tool, path: string): Problem[] {
  if (seconds === 0) return [];
  if (execution?.kind === 'client')
    return [{ path, message: 'Results of client tools cannot be cached. Leave cache_ttl_seconds out.' }];
  if (effect === 'none') return [];
  return [
    {
      path,
      message: `Results of an ${effect} tool cannot be cached. Leave cache_ttl_seconds out, or set effect to "none".`,
    },
  ];
}

function headerProblem(name: string, value: string): string | null {
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)) return 'Name the header with letters, digits and hyphens.';
  if (RESERVED_HEADERS.test(name)) return 'Pawl sets this header. Leave it out.';
  return /^[\t\x20-\x7e]*$/.test(value) ? null : 'Give the header a value of visible ASCII characters on one line.';
}

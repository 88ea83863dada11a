import { checkUrl } from '#core/egress/check-url.ts';
import { RequestRefused } from '#core/failure.ts';
import { quote, shorten } from '#core/text.ts';
import { checkDefinitions, type ToolRules } from '#core/tools/define/check.ts';
import { tightenTool } from '#core/tools/define/tighten.ts';
import { fillHeaders } from '#core/tools/http/headers.ts';
import { explainProblem, type McpProblem } from '#core/tools/mcp/problem.ts';
import type { McpServers } from '#core/tools/mcp/servers.ts';
import type { ToolRegistry } from '#core/tools/registry.ts';
import { fillTool, type GivenTool, type Tool, type ToolExecution, type TurnTool } from '#core/turn/request/tool.ts';
import type { Parts } from '../process/parts.ts';

/** The parts that check the tools of a project's turn. */
export type ToolContext = Pick<Parts, 'projects' | 'tools' | 'mcp' | 'toolSecrets' | 'egressPolicy'> & {
  project: string;
  toolRules: ToolRules;
};

/**
 * Returns the definitions of the given tools. A name refers to a server-side tool or an MCP tool, and an object
 * defines a tool. An object that redefines an operator's tool can only tighten the operator's definition.
 */
export async function resolveTools(given: PlacedTool[], rules: ToolContext): Promise<ResolvedTools> {
  const all = await Promise.all(
    given.map(async ({ tool, at }) => ({ ...(await resolve(tool, `tools[${at}]`, rules)), at })),
  );
  const resolved = all.filter((each) => 'requested' in each);
  const placeOf = (index: number) => resolved[index]?.at ?? index;
  const warnings = all.flatMap((each) => ('warning' in each ? each.warning : []));
  const tools = resolved.map(({ requested }) => requested);
  const [problem] = await checkDefinitions(tools, rules.toolRules, { project: rules.project, enough: 1 });
  if (problem) throw new RequestRefused(400, 'invalid_tool', problem.message, pathInRequest(problem.path, placeOf));
  for (const [index, tool] of tools.entries()) checkExecution(tool, `tools[${placeOf(index)}]`, rules);
  return {
    tools: resolved.map(({ requested, operators }) => (operators ? tightenTool(operators, requested) : requested)),
    warnings,
  };
}

/** A tool of a request that Pawl or the client runs, with its position in the request. */
type PlacedTool = { tool: string | GivenTool; at: number };

/** Returns the path of a problem in the request, which may have more tools than the list of definitions. */
function pathInRequest(path: string, placeOf: (index: number) => number): string {
  return path.replace(/^tools\[(\d+)\]/, (_, index) => `tools[${placeOf(Number(index))}]`);
}

/** The tools of a turn, and warnings about tools of MCP servers that are left out. */
export type ResolvedTools = { tools: TurnTool[]; warnings: string[] };

/** Returns the rules of a caller's tool, as far as this process knows without asking an MCP server. */
export function toolInForce(given: GivenTool, { tools, mcp }: Operators): Tool {
  const execution = executionOf(given, { tools, mcp });
  const operators = execution.kind === 'server' ? tools.find(given.name)?.definition : undefined;
  const requested = { ...fillTool(given, operators), execution };
  if (!operators) return requested;
  const { operator: _, ...tool } = tightenTool(operators, requested);
  return tool;
}

/** Refuses tools of an MCP server that does not list its tools. */
export function refuseUnavailable(server: string, problem: McpProblem | null, path: string): never {
  throw new RequestRefused(503, 'mcp_server_unavailable', explainProblem(server, problem), path);
}

/** The tools that the operator has configured. */
export type Operators = { tools: ToolRegistry; mcp: Pick<McpServers, 'server'> };

/** Without an execution, a name refers to the operator's tool of that name, or else to a tool of the client. */
export function executionOf({ name, execution }: GivenTool, { tools, mcp }: Operators): ToolExecution {
  if (execution) return execution;
  if (tools.find(name)) return { kind: 'server' };
  const [server = ''] = name.split('__', 1);
  return name.includes('__') && mcp.server(server) ? { kind: 'mcp', server } : { kind: 'client' };
}

/** A tool as it was requested, and the operator's definition if the two may differ. */
type Resolved = { requested: Tool; operators: Tool | null };

async function resolve(
  given: string | GivenTool,
  path: string,
  { tools, mcp }: ToolContext,
): Promise<Resolved | { warning: string }> {
  if (typeof given === 'string') {
    const own = tools.find(given)?.definition;
    return own ? { requested: own, operators: null } : findMcpTool(given, path, mcp);
  }
  const execution = executionOf(given, { tools, mcp });
  const operators = await findOperators({ ...given, execution }, { tools, mcp });
  return { requested: { ...fillTool(given, operators ?? undefined), execution }, operators };
}

/**
 * Finds the operator's definition of a tool. A tool that its MCP server does not list counts as listed by name only.
 */
async function findOperators(
  { name, execution, parameters }: GivenTool,
  { tools, mcp }: Pick<ToolContext, 'tools' | 'mcp'>,
): Promise<Tool | null> {
  if (execution?.kind === 'server') return tools.find(name)?.definition ?? null;
  if (execution?.kind !== 'mcp') return null;
  const prefix = `${execution.server}__`;
  const found = await mcp.find(name.startsWith(prefix) ? name : `${prefix}${name}`);
  return found.kind === 'found' ? found.tool : fillTool({ type: 'function', name, execution, parameters });
}

async function findMcpTool(name: string, path: string, mcp: McpServers): Promise<Resolved | { warning: string }> {
  const found = await mcp.find(name);
  switch (found.kind) {
    case 'found':
      return { requested: found.tool, operators: null };
    case 'left-out':
      return { warning: `The tool ${quote(name)} is left out: ${shorten(found.why)}` };
    case 'unknown':
      return refuseName(name, path);
    case 'unavailable':
      return refuseUnavailable(found.server, found.problem, path);
  }
}

function checkExecution({ name, execution }: Tool, path: string, rules: ToolContext): void {
  const { tools, mcp, toolSecrets, egressPolicy, projects, project } = rules;
  switch (execution?.kind) {
    case undefined:
    case 'client':
      return;
    case 'server':
      if (!tools.find(name)) refuseName(name, `${path}.name`);
      return;
    case 'http': {
      const problem = checkUrl(egressPolicy, execution.url);
      if (problem) throw new RequestRefused(400, 'egress_blocked', problem, `${path}.execution.url`);
      const filled = fillHeaders(toolSecrets, { ...execution, project: projects.find(project) });
      if (filled.ok) return;
      throw new RequestRefused(400, filled.code, filled.message, `${path}.execution.headers.${shorten(filled.header)}`);
    }
    case 'mcp': {
      if (mcp.server(execution.server)) return;
      const message = `MCP server ${quote(execution.server)} not found. Name a server of PAWL_MCP.`;
      throw new RequestRefused(400, 'unknown_mcp_server', message, `${path}.execution.server`);
    }
  }
}

function refuseName(name: string, path: string): never {
  const message = `Tool ${quote(name)} not found. GET /v1/tools lists the available tools.`;
  throw new RequestRefused(400, 'unknown_tool', message, path);
}

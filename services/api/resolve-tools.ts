import { RequestRefused } from '#core/failure.ts';
import { checkUrl } from '#core/outbound/check-url.ts';
import { quote, shorten } from '#core/text.ts';
import { checkDefinitions } from '#core/tools/check-definition.ts';
import { fillHeaders } from '#core/tools/fill-headers.ts';
import type { McpServers } from '#core/tools/mcp/open-mcp-servers.ts';
import { tightenTool } from '#core/tools/tighten-tool.ts';
import type { ToolRegistry } from '#core/tools/tool-registry.ts';
import { fillTool, type GivenTool, type Tool, type ToolExecution, type TurnTool } from '#core/turn/tool.ts';
import type { ApiContext } from './context.ts';

type Rules = Pick<ApiContext, 'tools' | 'mcp' | 'toolSecrets' | 'toolRules' | 'egress'> & { project: string };

/**
 * Definitions for every tool given: a name stands for a server-side or an MCP tool, an object for itself. One that defines
 * a tool of the operator's anew can only tighten what the operator says of it.
 */
export async function resolveTools(given: (string | GivenTool)[], rules: Rules): Promise<TurnTool[]> {
  const resolved = await Promise.all(given.map((tool, index) => resolve(tool, `tools[${index}]`, rules)));
  const tools = resolved.map(({ asked }) => asked);
  const [problem] = await checkDefinitions(tools, rules.toolRules, 1);
  if (problem) throw new RequestRefused(400, 'invalid_tool', problem.message, problem.path);
  for (const [index, tool] of tools.entries()) checkExecution(tool, `tools[${index}]`, rules);
  return resolved.map(({ asked, operators }) => (operators ? tightenTool(operators, asked) : asked));
}

/** What holds of a tool that a caller has defined, as far as this process knows without asking an MCP server. */
export function toolInForce(given: GivenTool, tools: ToolRegistry): Tool {
  const execution = executionOf(given, tools);
  const operators = execution.kind === 'server' ? tools.find(given.name)?.definition : undefined;
  const asked = { ...fillTool(given, operators), execution };
  if (!operators) return asked;
  const { operator: _, ...tool } = tightenTool(operators, asked);
  return tool;
}

function executionOf({ name, execution }: GivenTool, tools: ToolRegistry): ToolExecution {
  return execution ?? { kind: tools.find(name) ? 'server' : 'client' };
}

/** A tool as it was asked for, and the operator's definition of it where the two may differ. */
type Resolved = { asked: Tool; operators: Tool | null };

async function resolve(given: string | GivenTool, path: string, { tools, mcp }: Rules): Promise<Resolved> {
  if (typeof given === 'string') {
    return { asked: tools.find(given)?.definition ?? (await findMcpTool(given, path, mcp)), operators: null };
  }
  const execution = executionOf(given, tools);
  const operators = await findOperators({ ...given, execution }, { tools, mcp });
  return { asked: { ...fillTool(given, operators ?? undefined), execution }, operators };
}

/** The operator's own definition of a tool; what no listing of its MCP server has is as if it listed no more than a name. */
async function findOperators(
  { name, execution, parameters }: GivenTool,
  { tools, mcp }: Pick<Rules, 'tools' | 'mcp'>,
): Promise<Tool | null> {
  if (execution?.kind === 'server') return tools.find(name)?.definition ?? null;
  if (execution?.kind !== 'mcp') return null;
  const prefix = `${execution.server}__`;
  const found = await mcp.find(name.startsWith(prefix) ? name : `${prefix}${name}`);
  return found.kind === 'found' ? found.tool : fillTool({ type: 'function', name, execution, parameters });
}

async function findMcpTool(name: string, path: string, mcp: McpServers): Promise<Tool> {
  const found = await mcp.find(name);
  switch (found.kind) {
    case 'found':
      return found.tool;
    case 'unknown':
      return refuseName(name, path);
    case 'unavailable': {
      const message = `The MCP server ${quote(found.server)} cannot be reached now. Try again in a moment.`;
      throw new RequestRefused(503, 'mcp_server_unavailable', message, path);
    }
  }
}

function checkExecution({ name, execution }: Tool, path: string, rules: Rules): void {
  const { tools, mcp, toolSecrets, egress, project } = rules;
  switch (execution?.kind) {
    case undefined:
    case 'client':
      return;
    case 'server':
      if (!tools.find(name)) refuseName(name, `${path}.name`);
      return;
    case 'http': {
      const problem = checkUrl(egress, execution.url);
      if (problem) throw new RequestRefused(400, 'egress_blocked', problem, `${path}.execution.url`);
      const filled = fillHeaders(toolSecrets, { ...execution, project });
      if (filled.ok) return;
      throw new RequestRefused(400, filled.code, filled.message, `${path}.execution.headers.${shorten(filled.header)}`);
    }
    case 'mcp': {
      if (mcp.server(execution.server)) return;
      const message = `There is no MCP server named ${quote(execution.server)}. Name one of PAWL_MCP.`;
      throw new RequestRefused(400, 'unknown_mcp_server', message, `${path}.execution.server`);
    }
  }
}

function refuseName(name: string, path: string): never {
  const message = `There is no tool named ${quote(name)} here. GET /v1/tools lists those there are.`;
  throw new RequestRefused(400, 'unknown_tool', message, path);
}

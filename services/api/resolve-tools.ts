import { RequestRefused } from '#core/failure.ts';
import { checkUrl } from '#core/outbound/check-url.ts';
import { quote, shorten } from '#core/text.ts';
import { checkDefinitions } from '#core/tools/check-definition.ts';
import { fillHeaders } from '#core/tools/fill-headers.ts';
import type { McpServers } from '#core/tools/mcp/open-mcp-servers.ts';
import type { Tool } from '#core/turn/tool.ts';
import type { ApiContext } from './context.ts';

type Rules = Pick<ApiContext, 'tools' | 'mcp' | 'toolSecrets' | 'toolRules' | 'egress'> & { project: string };

/** Definitions for every tool given: a name stands for a server-side or an MCP tool, an object for itself. */
export async function resolveTools(given: (string | Tool)[], rules: Rules): Promise<Tool[]> {
  const tools = await Promise.all(given.map((tool, index) => resolve(tool, `tools[${index}]`, rules)));
  const [problem] = await checkDefinitions(tools, rules.toolRules, 1);
  if (problem) throw new RequestRefused(400, 'invalid_tool', problem.message, problem.path);
  for (const [index, tool] of tools.entries()) checkExecution(tool, `tools[${index}]`, rules);
  return tools;
}

async function resolve(given: string | Tool, path: string, { tools, mcp }: Rules): Promise<Tool> {
  if (typeof given === 'string') return tools.find(given)?.definition ?? findMcpTool(given, path, mcp);
  return { ...given, execution: given.execution ?? { kind: tools.find(given.name) ? 'server' : 'client' } };
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

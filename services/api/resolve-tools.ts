import { RequestRefused } from '#core/failure.ts';
import { checkUrl } from '#core/outbound/check-url.ts';
import { checkDefinitions } from '#core/tools/check-definition.ts';
import type { Tool } from '#core/turn/tool.ts';
import type { ApiContext } from './context.ts';

type Rules = Pick<ApiContext, 'tools' | 'toolRules' | 'egress'>;

/** Definitions for every tool given: a name stands for a server-side tool, an object for itself. */
export function resolveTools(given: (string | Tool)[], rules: Rules): Tool[] {
  const tools = given.map((tool, index) => resolve(tool, `tools[${index}]`, rules));
  const [problem] = checkDefinitions(tools, rules.toolRules);
  if (problem) throw new RequestRefused(400, 'invalid_tool', problem.message, problem.path);
  for (const [index, tool] of tools.entries()) checkExecution(tool, `tools[${index}]`, rules);
  return tools;
}

function resolve(given: string | Tool, path: string, { tools }: Rules): Tool {
  if (typeof given === 'string') return tools.find(given)?.definition ?? refuseName(given, path);
  return { ...given, execution: given.execution ?? { kind: tools.find(given.name) ? 'server' : 'client' } };
}

function checkExecution({ name, execution }: Tool, path: string, { tools, egress }: Rules): void {
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
      return;
    }
    case 'mcp': {
      const message = `There is no MCP server named ${JSON.stringify(execution.server)}. MCP tools are not available yet.`;
      throw new RequestRefused(400, 'unknown_mcp_server', message, `${path}.execution.server`);
    }
  }
}

function refuseName(name: string, path: string): never {
  const message = `There is no server-side tool named ${JSON.stringify(name)}. GET /v1/tools lists those there are.`;
  throw new RequestRefused(400, 'unknown_tool', message, path);
}

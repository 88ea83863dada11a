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
  return tools;
}

function resolve(given: string | Tool, path: string, { tools, egress }: Rules): Tool {
  if (typeof given === 'string') return tools.find(given)?.definition ?? refuseName(given, path);

  const execution = given.execution ?? { kind: tools.find(given.name) ? 'server' : 'client' };
  switch (execution.kind) {
    case 'server':
      if (!tools.find(given.name)) refuseName(given.name, `${path}.name`);
      break;
    case 'http': {
      const problem = checkUrl(egress, execution.url);
      if (problem) throw new RequestRefused(400, 'egress_blocked', problem, `${path}.execution.url`);
      break;
    }
    case 'client':
    case 'mcp': {
      const message = `Tools of kind ${execution.kind} are not available yet. Give an http execution, or the name of a server-side tool.`;
      throw new RequestRefused(400, 'unsupported_tool', message, `${path}.execution.kind`);
    }
  }
  return { ...given, execution };
}

function refuseName(name: string, path: string): never {
  const message = `There is no server-side tool named ${JSON.stringify(name)}. GET /v1/tools lists those there are.`;
  throw new RequestRefused(400, 'unknown_tool', message, path);
}

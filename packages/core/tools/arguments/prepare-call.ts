import type { RequestedCall } from '../../turn/message.ts';
import type { TurnTool } from '../../turn/request/tool.ts';
import type { ToolError } from '../../turn/tool-result.ts';
import { cleanError } from '../clean.ts';
import { parseArguments } from './parse.ts';

/** A call that may run: its tool is known and allowed, and its arguments are valid. */
export type CheckedCall = { tool: TurnTool; args: Record<string, unknown> };

/** The rules for a call: the turn's project, its tools and the allowed capabilities (null allows all). */
export type CallRules = {
  tools: readonly TurnTool[];
  allowedCapabilities: readonly string[] | null;
  project: string;
};

/** A call that may run, or why not. */
export type PreparedCall = { ok: true; call: CheckedCall } | { ok: false; error: ToolError; steps?: string[] };

/** Checks a call by the turn's rules. `error` is the answer for the model, `steps` lead to the first problem. */
export async function prepareCall(
  requested: RequestedCall,
  { tools, allowedCapabilities, project }: CallRules,
): Promise<PreparedCall> {
  const tool = tools.find(({ name }) => name === requested.name);
  if (!tool) return { ok: false, error: unknownTool(requested.name, tools) };

  const denied = tool.capabilities.find((capability) => allowedCapabilities?.includes(capability) === false);
  if (denied) return { ok: false, error: deniedCapability(tool.name, denied) };

  const args = await parseArguments(requested.arguments, tool.parameters, project);
  if (!args.ok) return args;
  const operators = tool.operator?.parameters;
  const fitting = operators ? await parseArguments(requested.arguments, operators, project) : args;
  return fitting.ok ? { ok: true, call: { tool, args: args.value } } : fitting;
}

function unknownTool(name: string, tools: readonly TurnTool[]): ToolError {
  const known = tools.map((tool) => tool.name).join(', ') || 'none';
  return cleanError('resource_not_found', `There is no tool named ${JSON.stringify(name)}. Tools: ${known}.`);
}

function deniedCapability(name: string, capability: string): ToolError {
  return cleanError('permission_denied', `${name} needs the capability "${capability}", which is not allowed here.`);
}

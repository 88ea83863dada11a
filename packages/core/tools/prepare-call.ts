import type { AskedCall } from '../turn/message.ts';
import type { TurnTool } from '../turn/tool.ts';
import type { ToolError } from '../turn/tool-result.ts';
import { cleanError } from './clean-error.ts';
import { parseArguments } from './parse-arguments.ts';
import type { SharedTime } from './share-time.ts';

/** A call that may run: its tool is known and allowed, its arguments fit. */
export type CheckedCall = { tool: TurnTool; args: Record<string, unknown> };

/**
 * What stands around a call: the turn's tools, what the conversation allows them (null allows all), and the time that it
 * shares with other calls of its project.
 */
export type CallRules = {
  tools: readonly TurnTool[];
  allowedCapabilities: readonly string[] | null;
  within?: SharedTime | undefined;
};

/** Holds a call against the turn's rules before anything runs; `error` is the answer for the model. */
export function prepareCall(
  asked: AskedCall,
  { tools, allowedCapabilities, within }: CallRules,
): { ok: true; call: CheckedCall } | { ok: false; error: ToolError } {
  const tool = tools.find(({ name }) => name === asked.name);
  if (!tool) return { ok: false, error: unknownTool(asked.name, tools) };

  const denied = tool.capabilities.find((capability) => allowedCapabilities?.includes(capability) === false);
  if (denied) return { ok: false, error: deniedCapability(tool.name, denied) };

  const args = parseArguments(asked.arguments, tool.parameters, within);
  if (!args.ok) return args;
  const operators = tool.operator?.parameters;
  const fitting = operators ? parseArguments(asked.arguments, operators, within) : args;
  return fitting.ok ? { ok: true, call: { tool, args: args.value } } : fitting;
}

function unknownTool(name: string, tools: readonly TurnTool[]): ToolError {
  const known = tools.map((tool) => tool.name).join(', ') || 'none';
  return cleanError('resource_not_found', `There is no tool named ${JSON.stringify(name)}. Tools: ${known}.`);
}

function deniedCapability(name: string, capability: string): ToolError {
  return cleanError('permission_denied', `${name} needs the capability "${capability}", which is not allowed here.`);
}

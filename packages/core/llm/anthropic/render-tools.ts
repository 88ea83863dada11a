import type { Tool } from '../../turn/tool.ts';
import type { ToolChoice } from '../../turn/turn-request.ts';
import type { RoundRequest } from '../provider.ts';
import { distinctNames, wireName } from '../wire-name.ts';

type WireTool = { name: string; description?: string; input_schema: Record<string, unknown> };
type WireChoice = { type: string; name?: string; disable_parallel_tool_use?: boolean };

/** The tools and what to do with them; tools that only the history needs are declared, and none may be used. */
export function renderTools(request: RoundRequest): { tools?: WireTool[]; tool_choice?: WireChoice } {
  const { tools, declaredTools, toolChoice, parallelToolCalls } = request;
  if (tools.length > 0) return { tools: tools.map(wireTool), ...choiceField(toolChoice, parallelToolCalls === false) };
  const hasCalls = request.messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
  if (!hasCalls || !declaredTools?.length) return {};
  return { tools: distinctNames(declaredTools.map(wireTool)), tool_choice: { type: 'none' } };
}

function wireTool({ name, description, parameters }: Tool): WireTool {
  return { name: wireName(name), ...(description ? { description } : {}), input_schema: schemaOf(parameters) };
}

/** At the top the wire takes an object's schema and no alternatives; Pawl still checks the whole schema. */
function schemaOf(parameters: Record<string, unknown>): Record<string, unknown> {
  const { anyOf: _any, oneOf: _one, allOf: _all, ...schema } = parameters;
  return { type: 'object', ...schema };
}

function choiceField(choice: ToolChoice, oneAtATime: boolean): { tool_choice?: WireChoice } {
  if (choice === 'none') return { tool_choice: { type: 'none' } };
  if (choice === 'auto' && !oneAtATime) return {};
  const wanted = typeof choice === 'string' ? { type: choice === 'auto' ? 'auto' : 'any' } : named(choice.name);
  return { tool_choice: { ...wanted, ...(oneAtATime ? { disable_parallel_tool_use: true } : {}) } };
}

function named(name: string): WireChoice {
  return { type: 'tool', name };
}

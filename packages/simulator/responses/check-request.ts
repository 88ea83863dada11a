import type { Problem } from '../error-body.ts';
import { checkItems } from './check-items.ts';
import type { ResponsesRequest } from './responses-request.ts';
import { strictSchemaProblem } from './strict-schema-problem.ts';

/** Returns the reason why OpenAI would refuse a well-formed request, or null. */
export function checkRequest(request: ResponsesRequest): Problem | null {
  const { input } = request;
  return (
    checkState(request) ??
    checkTools(request) ??
    checkToolChoice(request) ??
    checkFormat(request) ??
    (typeof input === 'string' ? null : checkItems(input))
  );
}

function checkState({ previous_response_id: id, ...request }: ResponsesRequest): Problem | null {
  if (id) {
    const message = `Previous response with id '${id}' not found.`;
    return { code: 'previous_response_not_found', message, param: 'previous_response_id' };
  }
  const param = (['conversation', 'prompt'] as const).find((field) => request[field]);
  return param ? { code: 'unsupported_parameter', message: `Unsupported parameter: '${param}'.`, param } : null;
}

function checkTools({ tools = [] }: ResponsesRequest): Problem | null {
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function') continue;
    const { name, parameters, strict } = tool;
    const problem = strict ? strictSchemaProblem(parameters ?? {}) : null;
    if (!problem) continue;
    const message = `Invalid schema for function '${name}': ${problem}`;
    return { code: 'invalid_function_parameters', message, param: `tools[${index}].parameters` };
  }
  return null;
}

function checkToolChoice({ tools = [], tool_choice: choice }: ResponsesRequest): Problem | null {
  const isPossible =
    typeof choice === 'object'
      ? tools.some((tool) => tool.type === 'function' && tool.name === choice.name)
      : tools.length > 0;
  if (choice === undefined || choice === 'none' || choice === 'auto' || isPossible) return null;
  const wanted = typeof choice === 'object' ? choice.name : choice;
  return { code: null, message: `Tool choice '${wanted}' not found in 'tools' parameter.`, param: 'tool_choice' };
}

function checkFormat({ text }: ResponsesRequest): Problem | null {
  const format = text?.format;
  const problem = format?.type === 'json_schema' && format.strict ? strictSchemaProblem(format.schema) : null;
  if (!problem) return null;
  return {
    code: 'invalid_json_schema',
    message: `Invalid schema for response_format: ${problem}`,
    param: 'text.format.schema',
  };
}

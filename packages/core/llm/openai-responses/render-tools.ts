import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import type { HostedTool, HostedType } from '../../turn/hosted/hosted-tool.ts';
import type { Tool, TurnTool } from '../../turn/request/tool.ts';
import { givenFields } from '../leave-out-nulls.ts';
import type { RoundRequest } from '../provider.ts';
import type { Fields } from '../reply/fields.ts';
import { withOptionTools } from '../wire-tools/option-tools.ts';
import { openaiToolSchema } from '../wire-tools/tool-schemas.ts';

/** The hosted tools of this wire, in the versions that Pawl sends. */
const HOSTED: Partial<Record<HostedType, { type: string } & Fields>> = {
  web_search: { type: 'web_search' },
  code_execution: { type: 'code_interpreter', container: { type: 'auto' } },
  file_search: { type: 'file_search' },
  image_generation: { type: 'image_generation' },
};

/** Renders functions, then hosted tools, then the caller's own tools, and the choice between them. */
export function renderTools(request: RoundRequest): Fields {
  const { tools, hostedTools = [], toolChoice, parallelToolCalls, providerOptions } = request;
  const own = [...tools.map(renderFunction), ...hostedTools.map(renderHosted)];
  const given = Array.isArray(providerOptions.tools) ? providerOptions.tools : [];
  if (own.length === 0) return given.length > 0 ? { tools: given } : {};
  return {
    tools: withOptionTools(own, given),
    ...choiceField(toolChoice),
    ...givenFields({ parallel_tool_calls: parallelToolCalls }),
  };
}

/** Renders a function. Without `strict`, OpenAI would make every schema strict. */
function renderFunction({ name, description, strict, parameters }: Tool & Pick<TurnTool, 'strict'>): Fields {
  const described = description ? { description } : {};
  return { type: 'function', name, ...described, parameters: openaiToolSchema(parameters), strict: strict === true };
}

/** Renders a hosted tool with its options. Its server refuses a type that this wire does not have. */
function renderHosted({ type, options }: HostedTool): Fields {
  return { type, ...HOSTED[type], ...options };
}

function choiceField(choice: ToolChoice): Fields {
  if (choice === 'auto') return {};
  return { tool_choice: typeof choice === 'string' ? choice : { type: 'function', name: choice.name } };
}

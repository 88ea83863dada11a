import type {
  FunctionDeclaration,
  FunctionCallingConfigMode as Mode,
  ToolConfig,
  Tool as ToolParam,
} from '@google/genai';
import type { Tool } from '../../turn/tool.ts';
import type { ToolChoice } from '../../turn/turn-request.ts';
import type { RoundRequest } from '../provider.ts';
import { renderSchema } from './render-schema.ts';

export type ToolFields = { tools?: ToolParam[]; toolConfig?: ToolConfig };

/** The tools and how to choose among them; `auto` is what Gemini does anyway. Without tools to use none are declared. */
export function renderTools({ tools, toolChoice }: RoundRequest): ToolFields {
  return tools.length > 0 ? fieldsOf(tools, toolChoice) : {};
}

function fieldsOf(tools: Tool[], choice: ToolChoice): ToolFields {
  const functionCallingConfig = callingConfig(choice);
  return {
    tools: [{ functionDeclarations: tools.map(declaration) }],
    ...(functionCallingConfig ? { toolConfig: { functionCallingConfig } } : {}),
  };
}

function declaration({ name, description, parameters }: Tool): FunctionDeclaration {
  const schema = renderSchema(parameters);
  return {
    name,
    ...(description ? { description } : {}),
    // A function without parameters is declared without them.
    ...(isEmpty(schema) ? {} : { parametersJsonSchema: schema }),
  };
}

function isEmpty({ type, properties, additionalProperties, ...rest }: Record<string, unknown>): boolean {
  const names = Object.keys(properties ?? {});
  return names.length === 0 && !additionalProperties && Object.keys(rest).every((field) => field === 'description');
}

/** The SDK's modes are an enum, which would load it; its values are these words. */
function callingConfig(choice: ToolChoice) {
  switch (choice) {
    case 'auto':
      return null;
    case 'none':
      return { mode: 'NONE' as Mode };
    case 'required':
      return { mode: 'ANY' as Mode };
  }
  return { mode: 'ANY' as Mode, allowedFunctionNames: [choice.name] };
}

import type {
  FunctionCallingConfig,
  FunctionDeclaration,
  FunctionCallingConfigMode as Mode,
  ToolConfig,
  Tool as ToolParam,
} from '@google/genai';
import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import type { HostedTool, HostedType } from '../../turn/hosted/hosted-tool.ts';
import type { Tool } from '../../turn/request/tool.ts';
import type { RoundRequest } from '../provider.ts';
import { geminiName } from './gemini-name.ts';
import { renderToolSchema } from './render-schema.ts';

/** The fields of a body for its tools. */
export type ToolFields = { tools?: ToolParam[]; toolConfig?: ToolConfig };

/** Gemini's names of hosted tools. Google versions them with its models. */
const HOSTED: Partial<Record<HostedType, keyof ToolParam>> = {
  web_search: 'googleSearch',
  web_fetch: 'urlContext',
  code_execution: 'codeExecution',
  file_search: 'fileSearch',
};

/**
 * Renders the tools and the choice. `auto` is Gemini's default. Without usable tools, it declares none. Beside
 * functions, Gemini requires that hosted tools show their calls. The choice of Gemini is about functions only, so a
 * turn with `none` has no hosted tools.
 */
export function renderTools(request: RoundRequest): ToolFields {
  const { tools, hostedTools = [], toolChoice, turnChoice, providerOptions } = request;
  const own = [...functionsOf(tools), ...(turnChoice === 'none' ? [] : hostedTools.flatMap(hostedTool))];
  if (own.length === 0 || providerOptions.tools === null) return {};
  const all: unknown[] = Array.isArray(providerOptions.tools) ? [...own, ...providerOptions.tools] : own;
  const isMixed = all.some(hasFunctions) && !all.every(hasFunctions);
  const functionCallingConfig = tools.length > 0 ? callingConfig(toolChoice, isMixed) : null;
  const toolConfig = {
    ...(functionCallingConfig ? { functionCallingConfig } : {}),
    ...(isMixed ? { includeServerSideToolInvocations: true } : {}),
  };
  return { tools: own, ...(Object.keys(toolConfig).length > 0 ? { toolConfig } : {}) };
}

function functionsOf(tools: Tool[]): ToolParam[] {
  return tools.length > 0 ? [{ functionDeclarations: tools.map(declaration) }] : [];
}

function hostedTool({ type, options }: HostedTool): ToolParam[] {
  const name = HOSTED[type];
  return name === undefined ? [] : [{ [name]: options ?? {} }];
}

/** Returns whether a tool declares functions. A caller may write the name in snake case. */
function hasFunctions(tool: unknown): boolean {
  return (
    typeof tool === 'object' && tool !== null && ('functionDeclarations' in tool || 'function_declarations' in tool)
  );
}

function declaration({ name, description, parameters }: Tool): FunctionDeclaration {
  const schema = renderToolSchema(parameters);
  return {
    name: geminiName(name),
    ...(description ? { description } : {}),
    ...(isEmpty(schema) ? {} : { parametersJsonSchema: schema }),
  };
}

function isEmpty({ type, properties, additionalProperties, ...rest }: Record<string, unknown>): boolean {
  const names = Object.keys(properties ?? {});
  return names.length === 0 && !additionalProperties && Object.keys(rest).every((field) => field === 'description');
}

/**
 * Returns the mode of the choice. The SDK's enum does not exist at run time, but its values are these words. Gemini
 * refuses its default mode beside hosted tools.
 */
function callingConfig(choice: ToolChoice, isMixed: boolean): FunctionCallingConfig | null {
  switch (choice) {
    case 'auto':
      return isMixed ? { mode: 'VALIDATED' as Mode } : null;
    case 'none':
      return { mode: 'NONE' as Mode };
    case 'required':
      return { mode: 'ANY' as Mode };
  }
  return { allowedFunctionNames: [geminiName(choice.name)], mode: 'ANY' as Mode };
}

import type {
  Content,
  FunctionCallingConfig,
  FunctionDeclaration,
  FunctionCallingConfigMode as Mode,
  ToolConfig,
  Tool as ToolParam,
} from '@google/genai';
import { isRecord } from '../../json.ts';
import type { ServiceTier } from '../../turn/config/service-tier.ts';
import type { ToolChoice } from '../../turn/config/tool-choice.ts';
import type { TextFormat } from '../../turn/request/response.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { givenFields } from '../leave-out-nulls.ts';
import type { RoundRequest } from '../provider.ts';
import { AS_IT_CAME, type ThoughtState } from '../refusals/thought-state.ts';
import { geminiName } from './gemini-name.ts';
import { renderContents } from './render-contents.ts';
import { renderSchema, renderToolSchema } from './render-schema.ts';

type ToolFields = { tools?: ToolParam[]; toolConfig?: ToolConfig };

/** The body of a generateContent request. The provider options may add any field. */
export type Body = ToolFields & {
  contents: Content[];
  systemInstruction?: Content;
  serviceTier?: string;
  generationConfig: Record<string, unknown>;
};

/**
 * Renders a generateContent body, with the caller's options over it. `provider` is the owner of the opaque state to
 * send back.
 */
export function renderRequest(request: RoundRequest, provider: string, state: ThoughtState = AS_IT_CAME): Body {
  const { model, messages, instructions } = request;
  const { systemInstruction, contents } = renderContents(messages, { instructions, provider, model, state });
  const body: Body = {
    contents,
    ...(systemInstruction ? { systemInstruction: { parts: [{ text: systemInstruction }] } } : {}),
    ...renderTools(request),
    ...tierField(request),
    generationConfig: generationConfig(request),
  };
  return mergeDeep(body, extraFields(request.providerOptions)) as Body;
}

/** Gemini's names of tiers that differ from Pawl's. */
const TIERS: Partial<Record<ServiceTier, string>> = { auto: 'unspecified', default: 'standard' };

function tierField({ serviceTier }: RoundRequest): Pick<Body, 'serviceTier'> {
  return serviceTier === null ? {} : { serviceTier: TIERS[serviceTier] ?? serviceTier };
}

function generationConfig(request: RoundRequest): Record<string, unknown> {
  const { temperature, topP, stop, seed, maxOutputTokens, textFormat } = request;
  return {
    ...givenFields({ temperature, topP, stopSequences: stop, seed, maxOutputTokens }),
    ...thinkingFields(request),
    ...formatFields(textFormat),
  };
}

function thinkingFields({ reasoningEffort, reasoningSummary }: RoundRequest): Record<string, unknown> {
  if (reasoningEffort === null && reasoningSummary === null) return {};
  const includeThoughts = reasoningSummary === null ? null : true;
  return { thinkingConfig: givenFields({ thinkingLevel: reasoningEffort, includeThoughts }) };
}

function formatFields(format: TextFormat | null): Record<string, unknown> {
  if (format === null || format.type === 'text') return {};
  const schema = format.type === 'json_schema' ? { responseJsonSchema: renderSchema(format.schema) } : {};
  return { responseMimeType: 'application/json', ...schema };
}

/** The fields of a request's top level. Any other option belongs to its `generationConfig`. */
const TOP_LEVEL = new Set([
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'safetySettings',
  'cachedContent',
  'modelArmorConfig',
  'generationConfig',
  'labels',
  'serviceTier',
  'store',
]);

function extraFields(options: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(options);
  const top = Object.fromEntries(entries.filter(([name]) => TOP_LEVEL.has(name)));
  const rest = Object.fromEntries(entries.filter(([name]) => !TOP_LEVEL.has(name)));
  return { ...top, generationConfig: { ...rest, ...(isRecord(top.generationConfig) ? top.generationConfig : {}) } };
}

/** Merges objects and replaces other values. A null removes its field. */
function mergeDeep(under: Record<string, unknown>, over: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const before = merged[name];
    merged[name] = isRecord(before) && isRecord(value) ? mergeDeep(before, value) : (value ?? undefined);
  }
  return merged;
}

/** Renders the tools and the choice. `auto` is Gemini's default. Without usable tools, it declares none. */
function renderTools({ tools, toolChoice }: RoundRequest): ToolFields {
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

/** Returns the mode of the choice. The SDK's enum does not exist at run time, but its values are these words. */
function callingConfig(choice: ToolChoice): FunctionCallingConfig | null {
  switch (choice) {
    case 'auto':
      return null;
    case 'none':
      return { mode: 'NONE' as Mode };
    case 'required':
      return { mode: 'ANY' as Mode };
  }
  return { allowedFunctionNames: [geminiName(choice.name)], mode: 'ANY' as Mode };
}

import type { Content } from '@google/genai';
import { isRecord } from '../../json.ts';
import type { ServiceTier } from '../../turn/config/service-tier.ts';
import type { TextFormat } from '../../turn/request/response.ts';
import { givenFields } from '../leave-out-nulls.ts';
import type { RoundRequest } from '../provider.ts';
import { AS_IT_CAME, type ThoughtState } from '../refusals/thought-state.ts';
import { addOptionTools } from '../wire-tools/option-tools.ts';
import { renderContents } from './render-contents.ts';
import { renderSchema } from './render-schema.ts';
import { renderTools, type ToolFields } from './render-tools.ts';

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
  return mergeDeep(body, extraFields(addOptionTools(request.providerOptions, body.tools))) as Body;
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

import type { GenerateContentConfig, GenerateContentParameters } from '@google/genai';
import type { RoundRequest } from '../provider.ts';
import { renderContents } from './render-contents.ts';
import { renderTools } from './render-tools.ts';

/** Our words as the SDK's parameters; `provider` is whose opaque state goes back. */
export function renderRequest(request: RoundRequest, provider: string): GenerateContentParameters {
  const { model, messages, instructions, temperature, maxOutputTokens } = request;
  const { systemInstruction, contents } = renderContents(messages, { instructions, provider, model });
  return {
    model,
    contents,
    config: {
      ...(systemInstruction ? { systemInstruction: { parts: [{ text: systemInstruction }] } } : {}),
      ...renderTools(request),
      ...(temperature === null ? {} : { temperature }),
      ...(maxOutputTokens === null ? {} : { maxOutputTokens }),
      ...extraFields(request.providerOptions),
    },
  };
}

/** The fields of a request's top level; whatever else a caller names belongs into its `generationConfig`. */
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

/**
 * A caller's options, laid over the body by the SDK as the last thing it does. Never into its config: there they could
 * name another server, which would be sent the operator's key.
 */
function extraFields(options: Record<string, unknown>): GenerateContentConfig {
  const entries = Object.entries(options);
  if (entries.length === 0) return {};
  const top = Object.fromEntries(entries.filter(([name]) => TOP_LEVEL.has(name)));
  const rest = Object.fromEntries(entries.filter(([name]) => !TOP_LEVEL.has(name)));
  const generationConfig = { ...rest, ...(isObject(top.generationConfig) ? top.generationConfig : {}) };
  return { httpOptions: { extraBody: { ...top, generationConfig } } };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

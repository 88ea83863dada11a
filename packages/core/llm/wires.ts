import { isRecord } from '../json.ts';
import type { StandingConfig, TurnConfig } from '../turn/request/turn.ts';
import { splitModel } from './split-model.ts';

/**
 * The wires that a turn chose for providers with two wires, by the names of the providers. Absent means Chat
 * Completions.
 */
export type Wires = TurnConfig['wires'];

/** How a provider with Chat Completions and Responses chooses its wire. `isFixed`: a turn has no choice. */
export type TwoWires = { isResponses: boolean; isFixed: boolean };

/** The hosts at which the built-in providers use Responses. */
const HOSTS = {
  openai:
    /^((.+\.)?api\.openai\.com|.+\.openai\.azure\.com|.+\.services\.ai\.azure\.com|.+\.cognitiveservices\.azure\.com)$/,
  xai: /^(.+\.)?api\.x\.ai$/,
};

/**
 * Returns how a built-in provider chooses its wire: by the operator's setting, otherwise by the host of its base URL.
 */
export function twoWiresAt(
  name: keyof typeof HOSTS,
  { baseUrl, setting }: { baseUrl: string; setting: 'responses' | 'chat' | null },
): TwoWires {
  const isResponses = setting ? setting === 'responses' : HOSTS[name].test(new URL(baseUrl).hostname);
  return { isResponses, isFixed: setting !== null };
}

/** The models that a turn may ask, its fields, and its input in any form. They determine its wires. */
export type Choosing = {
  models: readonly string[];
  config: Pick<StandingConfig, 'model' | 'stop' | 'seed' | 'provider_options'>;
  input?: unknown;
};

/**
 * Chooses the wires of a turn. A model, field or input that only Chat Completions supports requires Chat Completions,
 * unless the operator has decided. Undefined if every provider has only one wire or uses Chat Completions.
 */
export function chooseWires(
  { models, config, input }: Choosing,
  providers: { twoWires(name: string): TwoWires | null },
): Wires {
  const asked = models.map(splitModel);
  const names = new Set(asked.map(({ provider }) => provider));
  const own = config.model ? splitModel(config.model).provider : null;
  const chosen = [...names].filter((name) => {
    const wires = providers.twoWires(name);
    if (!wires?.isResponses) return false;
    const isForChat = asked.some(({ provider, model }) => provider === name && CHAT_MODELS.test(model));
    return wires.isFixed || !(isForChat || needsChat(config, { hasOptions: name === own, input }));
  });
  if (chosen.length === 0) return undefined;
  return Object.fromEntries(chosen.map((name) => [name, 'openai-responses']));
}

function needsChat(
  { stop, seed, provider_options: options }: Choosing['config'],
  { hasOptions, input }: { hasOptions: boolean; input: unknown },
): boolean {
  if (stop?.length || typeof seed === 'number' || hasAudio(input)) return true;
  return hasOptions && Object.entries(options ?? {}).some(([name, value]) => value !== null && isOfChat(name, value));
}

/** Returns whether an option is a field of Chat Completions alone, or has the form that it has there. */
function isOfChat(name: string, value: unknown): boolean {
  if (CHAT_ONLY.has(name)) return true;
  if (name === 'stream_options') return isRecord(value) && 'include_usage' in value;
  const tools = name === 'tools' && Array.isArray(value) ? value : name === 'tool_choice' ? [value] : [];
  return tools.some((tool) => isRecord(tool) && isRecord(tool.function));
}

/** Models that OpenAI offers only over Chat Completions. */
const CHAT_MODELS = /\baudio\b|-search-preview\b/i;

/** Fields of a Chat Completions request that a Responses request does not have. */
const CHAT_ONLY = new Set([
  ...['stop', 'seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'n'],
  ...['audio', 'modalities', 'prediction', 'web_search_options', 'response_format', 'reasoning_effort', 'verbosity'],
  ...['max_tokens', 'max_completion_tokens', 'messages', 'functions', 'function_call', 'search_parameters'],
]);

function hasAudio(input: unknown): boolean {
  if (!Array.isArray(input)) return false;
  return input.some((item) => isRecord(item) && Array.isArray(item.content) && item.content.some(isAudio));
}

function isAudio(part: unknown): boolean {
  return isRecord(part) && part.type === 'input_audio';
}

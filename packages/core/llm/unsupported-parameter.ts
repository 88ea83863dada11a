import { isRecord } from '../json.ts';
import { quote } from '../text.ts';
import type { ServiceTier } from '../turn/config/service-tier.ts';
import type { StandingConfig, TurnConfig } from '../turn/request/turn.ts';
import { type Capabilities, isOpenaiWire, type Provider } from './provider.ts';

type Asked = Pick<Provider, 'name' | 'capabilities' | 'reasoningEfforts' | 'cacheTtls' | 'allowedHeaders' | 'batches'>;
type Sampling = Pick<StandingConfig, 'reasoning_effort' | 'verbosity'>;
type NativeSampling = Sampling &
  Pick<StandingConfig, 'stop' | 'seed' | 'prompt_cache' | 'service_tier' | 'tier_fallback'>;
type BatchSettings = Pick<StandingConfig, 'provider_options' | 'provider_headers' | 'tool_mode'>;
type Tiers = Pick<StandingConfig, 'service_tier' | 'tier_fallback'> & Partial<BatchSettings>;
type Options = BatchSettings & HostedSettings;
type HostedSettings = Pick<StandingConfig, 'tool_choice'> & Pick<TurnConfig, 'hosted_tools'> & { tools?: unknown[] };
type Settings = Sampling & Partial<Pick<TurnConfig, 'text_format' | 'tools' | 'tool_mode'>>;

/** A field of a request that the provider does not support, and a sentence with advice. */
export type UnsupportedParameter = { param: string; message: string };

/**
 * Returns the first field of a response that the provider's wire does not support, or null. `param` is the name in
 * OpenAI's Responses API. Every wire supports `top_p` and `temperature`.
 */
export function unsupportedParameter(provider: Asked, settings: Settings): UnsupportedParameter | null {
  const effort = effortProblem(provider, settings);
  if (effort) return { param: 'reasoning.effort', message: effort };
  const verbosity = settings.verbosity === 'medium' ? null : verbosityProblem(provider, settings);
  if (verbosity) return { param: 'text.verbosity', message: verbosity };
  const format = formatProblem(provider, settings);
  return format ? { param: 'text.format', message: format } : null;
}

/**
 * Returns the first unsupported field of a native turn, by its native name, or null. Here `medium` counts as a
 * verbosity.
 */
export function unsupportedField(
  provider: Asked,
  settings: NativeSampling & Partial<Options>,
): UnsupportedParameter | null {
  const effort = effortProblem(provider, settings);
  if (effort) return { param: 'reasoning_effort', message: effort };
  const verbosity = verbosityProblem(provider, settings);
  if (verbosity) return { param: 'verbosity', message: verbosity };
  return (
    stopProblem(provider, settings) ??
    seedProblem(provider, settings) ??
    cacheProblem(provider, settings) ??
    tierProblem(provider, settings) ??
    hostedProblem(provider, settings) ??
    optionsProblem(provider, settings) ??
    headersProblem(provider, settings)
  );
}

/** Returns the problem of options. Packages of the AI SDK receive options only by the name of their own provider. */
function optionsProblem(
  { name, capabilities }: Asked,
  { provider_options }: Partial<Options>,
): UnsupportedParameter | null {
  if (capabilities.wire === 'openai-responses') return chatOptionProblem(name, provider_options);
  if (capabilities.wire !== 'ai-sdk') return null;
  const field = Object.keys(provider_options ?? {}).find((key) => !isRecord(provider_options?.[key]));
  if (field === undefined) return null;
  const message = `provider_options of ${name} must be keyed by the name of its package's provider, as in {"mistral":{…}}. Give an object.`;
  return { param: `provider_options.${field}`, message };
}

/** Returns the problem of a hosted tool that the provider's wire does not have, or cannot require. */
function hostedProblem(
  { name, capabilities }: Asked,
  { hosted_tools: hosted = [], tools = [], tool_choice: choice }: Partial<Options>,
): UnsupportedParameter | null {
  const known = capabilities.hosted_tools;
  const missing = hosted.find(({ type }) => !known.includes(type));
  if (!missing && capabilities.wire === 'gemini' && hosted.length > 0 && tools.length === 0 && choice === 'required') {
    const message = `${name} cannot require a hosted tool. Set tool_choice to "auto", or add a function.`;
    return { param: 'tool_choice', message };
  }
  if (!missing) return null;
  const where = capabilities.wire === 'openai' ? `${name} over Chat Completions` : name;
  const advice = known.length > 0 ? `Choose ${listOf(known)}, or another model.` : 'Choose another model.';
  return { param: 'tools', message: `The hosted tool ${missing.type} is not supported by ${where}. ${advice}` };
}

/** Options that the Responses API does not have. Without this check the turn would fail later. */
const NOT_OF_RESPONSES = ['stop', 'seed', 'frequency_penalty', 'presence_penalty', 'top_logprobs'];

function chatOptionProblem(name: string, options: Options['provider_options']): UnsupportedParameter | null {
  const field = NOT_OF_RESPONSES.find((each) => (options?.[each] ?? null) !== null);
  if (field === undefined) return null;
  const message = `${field} is not supported by ${name} over the Responses API. Leave ${field} out, or choose another model.`;
  return { param: `provider_options.${field}`, message };
}

/** Returns the problem of headers. A turn may set only headers that the operator lists for the provider. */
function headersProblem(
  { name, allowedHeaders = [] }: Asked,
  { provider_headers }: Partial<Options>,
): UnsupportedParameter | null {
  const header = Object.keys(provider_headers ?? {}).find((each) => !allowedHeaders.includes(each));
  if (header === undefined) return null;
  const param = `provider_headers.${header}`;
  const advice = 'Leave the header out, or ask the operator to add it to allowed_headers in PAWL_PROVIDERS.';
  return { param, message: `${param} is not allowed for ${name}. ${advice}` };
}

/** The values that a wire supports: efforts, stop texts, the range of seeds (null if it has no seed), and tiers. */
type WireRules = {
  efforts: readonly string[];
  stops: 'any' | 'not-blank' | 'none';
  seeds: readonly [least: number, most: number] | null;
  /** The tiers of a single request. `batch` depends on the server. */
  tiers: readonly ServiceTier[];
};

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const SAFE_SEEDS = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] as const;
const INT32_SEEDS = [-(2 ** 31), 2 ** 31 - 1] as const;
const TIERS = ['auto', 'default', 'flex', 'priority'] as const;

const RULES: Record<Capabilities['wire'], WireRules> = {
  openai: { efforts: EFFORTS, stops: 'any', seeds: SAFE_SEEDS, tiers: TIERS },
  'openai-responses': { efforts: EFFORTS, stops: 'none', seeds: null, tiers: TIERS },
  anthropic: {
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
    stops: 'not-blank',
    seeds: null,
    tiers: ['auto', 'default'],
  },
  gemini: { efforts: ['minimal', 'low', 'medium', 'high'], stops: 'any', seeds: INT32_SEEDS, tiers: TIERS },
  'ai-sdk': { efforts: EFFORTS, stops: 'any', seeds: SAFE_SEEDS, tiers: [] },
};

function effortProblem(provider: Asked, { reasoning_effort: effort }: Sampling): string | null {
  const { name, capabilities, reasoningEfforts } = provider;
  const known: readonly string[] = reasoningEfforts ?? RULES[capabilities.wire].efforts;
  if (!effort || known.includes(effort)) return null;
  if (known.length === 0)
    return `Reasoning effort is not supported by ${name}. Leave it out, or set it in provider_options.`;
  return `Reasoning effort ${quote(effort)} is not supported by ${name}. Set ${listOf(known)}, or leave it out.`;
}

function verbosityProblem({ name, capabilities }: Asked, { verbosity }: Sampling): string | null {
  if (!verbosity || isOpenaiWire(capabilities.wire)) return null;
  return `verbosity is not supported by ${name}. Leave verbosity out, and ask for short or long answers in the instructions.`;
}

function stopProblem({ name, capabilities }: Asked, { stop }: NativeSampling): UnsupportedParameter | null {
  const { stops } = RULES[capabilities.wire];
  if (stops === 'none' && stop?.length) {
    return {
      param: 'stop',
      message: `stop is not supported by ${name} over the Responses API. Leave stop out, or choose another model.`,
    };
  }
  const blank = stops === 'any' ? -1 : (stop ?? []).findIndex((text) => text.trim() === '');
  if (blank === -1) return null;
  return {
    param: `stop[${blank}]`,
    message: `stop entries must contain a non-space character for ${name}. Change or remove this entry.`,
  };
}

function seedProblem({ name, capabilities }: Asked, { seed }: NativeSampling): UnsupportedParameter | null {
  const range = RULES[capabilities.wire].seeds;
  if (seed === null || seed === undefined) return null;
  if (!range)
    return { param: 'seed', message: `seed is not supported by ${name}. Leave seed out, or choose another provider.` };
  const [least, most] = range;
  if (seed >= least && seed <= most) return null;
  return { param: 'seed', message: `seed is out of range for ${name}. Give a number from ${least} to ${most}.` };
}

/** Returns the problem of `prompt_cache`. Every provider supports `auto` and `off`, since some cache automatically. */
function cacheProblem(provider: Asked, { prompt_cache: wanted }: NativeSampling): UnsupportedParameter | null {
  const { name, capabilities, cacheTtls = [] } = provider;
  if (!wanted || wanted === 'auto' || wanted === 'off' || cacheTtls.includes(wanted)) return null;
  const advice =
    capabilities.wire === 'anthropic' || capabilities.wire === 'openai-responses'
      ? `Set "prompt_cache": true in PAWL_PROVIDERS.${name}, or set prompt_cache to auto or off.`
      : 'Set prompt_cache to auto or off.';
  const where = capabilities.wire === 'openai' ? `${name} over Chat Completions` : name;
  return { param: 'prompt_cache', message: `prompt_cache "${wanted}" is not supported by ${where}. ${advice}` };
}

export function supportsTier(provider: Pick<Provider, 'capabilities' | 'batches'>, tier: ServiceTier): boolean {
  return tiersOf(provider).includes(tier);
}

function tiersOf({ capabilities, batches }: Pick<Provider, 'capabilities' | 'batches'>): ServiceTier[] {
  return [...RULES[capabilities.wire].tiers, ...(batches ? (['batch'] as const) : [])];
}

function tierProblem(provider: Asked, settings: NativeSampling & Tiers): UnsupportedParameter | null {
  const { service_tier: tier } = settings;
  if (!tier || supportsTier(provider, tier)) return unusableTier(settings);
  const known = listOf(tiersOf(provider));
  const other = tier === 'batch' ? 'choose another model' : 'set it in provider_options';
  const advice = known ? `Set ${known}, or leave service_tier out.` : `Leave service_tier out, or ${other}.`;
  return { param: 'service_tier', message: `service_tier "${tier}" is not supported by ${provider.name}. ${advice}` };
}

/** Returns the problem of a tier with other fields, independent of the model. */
export function unusableTier(settings: Tiers): UnsupportedParameter | null {
  const { service_tier: tier, tier_fallback: fallback } = settings;
  if (tier === 'batch') return batchProblem(settings);
  if (!fallback || tier === 'flex') return null;
  const message =
    'tier_fallback requires service_tier "flex" or "batch". Set service_tier to one of these values, or leave ' +
    'tier_fallback out.';
  return { param: 'tier_fallback', message };
}

/** Returns the problem of a field that a request in a batch cannot have. */
function batchProblem({
  tool_mode,
  provider_headers,
  provider_options,
}: Partial<BatchSettings>): UnsupportedParameter | null {
  if (tool_mode === 'emulated') {
    const message =
      'tool_mode "emulated" is not supported with service_tier "batch". Set tool_mode to "native" or "inline", or ' +
      'choose another service_tier.';
    return { param: 'tool_mode', message };
  }
  const advice = 'Leave it out, or choose another service_tier.';
  if (Object.keys(provider_headers ?? {}).length > 0) {
    const message = `provider_headers is not supported with service_tier "batch". ${advice}`;
    return { param: 'provider_headers', message };
  }
  if (provider_options?.background !== true) return null;
  const message = `provider_options.background is not supported with service_tier "batch". ${advice}`;
  return { param: 'provider_options.background', message };
}

function listOf(values: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(values);
}

function formatProblem(provider: Asked, { text_format: format, tools = [], tool_mode }: Settings): string | null {
  if (!format || format.type === 'text') return null;
  const { name, capabilities } = provider;
  if (tool_mode === 'inline' && tools.length > 0) {
    return 'tool_mode inline writes tool calls into the text, which then cannot be JSON. Set tool_mode to emulated or native.';
  }
  if (format.type === 'json_object') {
    return capabilities.wire === 'anthropic'
      ? `json_object is not supported by ${name}. Give a json_schema instead.`
      : null;
  }
  if (capabilities.structured_outputs) return null;
  return `Structured outputs are turned off for ${name}. Choose another provider, or ask for JSON in the instructions.`;
}

import { z } from 'zod';
import { Misconfigured } from '../../failure.ts';
import { isRecord, isReserved, RESERVED } from '../../json.ts';
import { parseJsonSetting } from '../../json-setting.ts';
import { FINISH_REASONS, type FinishReason } from '../../turn/reply.ts';
import type { Bounds } from '../bounded.ts';
import { GivenLimits } from '../by-model/provider-limits.ts';
import { ROLE_ORDERS } from '../openai/order-roles.ts';
import type { BackgroundSetting } from '../openai-responses/background/kept-responses.ts';
import { headerSettings } from './header-settings.ts';

type Env = Record<string, string | undefined>;

const httpUrl = z.url({ protocol: /^https?$/, error: 'give an http or https URL' });

const known = {
  tools: z.boolean().default(true),
  structured_outputs: z.boolean().default(true),
  ...headerSettings,
};

/** Finish reasons by the words of a server, in lower case, since servers differ in case. */
const FinishReasons = z
  .record(z.string().trim().min(1), z.enum(FINISH_REASONS, { error: `give one of ${FINISH_REASONS.join(', ')}` }), {
    error: 'give an object of finish reasons, by the words of the server',
  })
  .default({})
  .transform((words): ReadonlyMap<string, FinishReason> => {
    return new Map(Object.entries(words).map(([word, reason]) => [word.toLowerCase(), reason]));
  });

const server = {
  base_url: httpUrl,
  api_key: z.string().trim().min(1).nullish(),
  finish_reasons: FinishReasons,
  limits: GivenLimits.optional(),
  /** Whether the server has the batch API of its wire. */
  batch: z.boolean('give true or false').default(true),
  ...known,
};

const promptCache = z.boolean('give true or false').default(false);

const AnthropicConfig = z.strictObject({ kind: z.literal('anthropic'), ...server, prompt_cache: promptCache });

const GeminiConfig = z.strictObject({ kind: z.literal('gemini'), ...server });

const NO_MODELS = 'name at least one model, or give true';

/** The background responses of a server: for all models, for models by patterns, or stored for some minutes only. */
const Background = z
  .union([z.boolean(), z.array(z.string().trim().min(1)).min(1, NO_MODELS), z.strictObject({ store: z.boolean() })], {
    error: 'give true, a list of model names with *, or {"store": false}',
  })
  .default(false)
  .transform((given): BackgroundSetting | undefined => {
    if (given === false) return undefined;
    if (Array.isArray(given)) return { models: given, isStored: true };
    return { models: ['*'], isStored: given === true || given.store };
  });

const ResponsesConfig = z.strictObject({
  kind: z.literal('openai-responses'),
  ...server,
  prompt_cache: promptCache,
  background: Background,
});

/** The configuration of a server of this wire, with more differences than on other wires. */
const OpenaiConfig = z.strictObject({
  kind: z.literal('openai'),
  ...server,
  max_tokens_field: z
    .enum(['max_tokens', 'max_completion_tokens'], { error: 'give max_tokens or max_completion_tokens' })
    .default('max_tokens'),
  stream_options: z.boolean('give true or false').default(true),
  prompt_cache: promptCache,
  roles: z.enum(ROLE_ORDERS, { error: `give one of ${ROLE_ORDERS.join(', ')}` }).default('any'),
});

/** A provider package of the AI SDK, that the operator has installed. */
const PackageConfig = z.strictObject({
  kind: z.literal('ai-sdk'),
  module: z.string('name the npm package').trim().min(1, 'name the npm package'),
  export: z.string('name the function that makes a provider').trim().min(1, 'name the function that makes a provider'),
  options: z.record(z.string(), z.json(), 'give the options of the function as an object').default({}),
  limits: GivenLimits.optional(),
  ...known,
});

const ProviderConfig = z.discriminatedUnion(
  'kind',
  [OpenaiConfig, ResponsesConfig, AnthropicConfig, GeminiConfig, PackageConfig],
  { error: 'give one of openai, openai-responses, anthropic, gemini, ai-sdk' },
);
export type ProviderConfig = z.infer<typeof ProviderConfig>;

const Extra = z.record(
  z.string().regex(/^[a-z0-9_-]+$/i, 'use letters, digits, _ and - in the name'),
  ProviderConfig,
  'give an object of providers, by their names',
);

const NAMES_AGENTS =
  'PAWL_PROVIDERS.agent: this name is reserved for agents, as in agent/support. Choose another name.';

/** Returns the providers in `PAWL_PROVIDERS`. A `Misconfigured` names the path of a wrong value, never the value. */
export function readExtraProviders(env: Env, builtIn: readonly string[]): Record<string, ProviderConfig> {
  const text = env.PAWL_PROVIDERS?.trim();
  if (!text) return {};
  const json = parseJsonSetting('PAWL_PROVIDERS', text, 'See docs/providers.md.');
  const reserved = isRecord(json) ? Object.keys(json).find(isReserved) : undefined;
  if (reserved) throw new Misconfigured(`PAWL_PROVIDERS.${reserved}: ${RESERVED}`);
  if (isRecord(json) && Object.hasOwn(json, 'agent')) throw new Misconfigured(NAMES_AGENTS);
  const { data, error } = Extra.safeParse(json);
  if (!data) {
    const [issue] = error.issues;
    throw new Misconfigured(`${['PAWL_PROVIDERS', ...(issue?.path ?? [])].join('.')}: ${issue?.message}`);
  }
  const taken = Object.keys(data).find((name) => builtIn.includes(name));
  if (taken) throw new Misconfigured(`PAWL_PROVIDERS.${taken}: this name is built in, choose another`);
  return data;
}

/** Returns the limits of complete providers in `PAWL_PROVIDERS`, by the names of the providers. */
export function limitsOfProviders(env: Env): Record<string, GivenLimits> {
  const extra = Object.entries(readExtraProviders(env, []));
  return Object.fromEntries(extra.flatMap(([name, { limits }]) => (limits ? [[name, limits]] : [])));
}

/** Returns a base URL from the environment, or `absent`. */
export function readBaseUrl<T>(env: Env, variable: string, absent: T): string | T {
  const text = env[variable]?.trim();
  if (!text) return absent;
  if (!httpUrl.safeParse(text).success) throw new Misconfigured(`${variable}: give an http or https URL`);
  return text;
}

/** Returns the operator's wire for a provider with two wires, or null if none is set. */
export function readWire(env: Env, variable: string): 'responses' | 'chat' | null {
  const text = env[variable]?.trim();
  if (!text) return null;
  if (text === 'responses' || text === 'chat') return text;
  throw new Misconfigured(`${variable}: give responses or chat`);
}

/** Returns whether a variable is `1`. */
export function readSwitch(env: Env, variable: string): boolean {
  const text = env[variable]?.trim() || '0';
  if (text === '1' || text === '0') return text === '1';
  throw new Misconfigured(`${variable}: give 1 or 0`);
}

/** Returns the operator's headers from lines `Name: value`, with lower-case names. */
export function readHeaders(env: Env, variable: string): Record<string, string> {
  const lines = (env[variable] ?? '').split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** Reads the maximum milliseconds of a model call. */
export function readBounds(env: Env): Bounds {
  return {
    timeoutMs: readMs(env, 'PAWL_MODEL_TIMEOUT_MS', 600_000),
    idleTimeoutMs: readMs(env, 'PAWL_MODEL_IDLE_TIMEOUT_MS', 120_000),
    flexIdleTimeoutMs: readMs(env, 'PAWL_FLEX_IDLE_TIMEOUT_MS', 900_000),
  };
}

/** Returns the longest time that a turn may set for a model call, in milliseconds. */
export function readTimeoutLimit(env: Env): number {
  return readMs(env, 'PAWL_MODEL_TIMEOUT_LIMIT_MS', 3_600_000);
}

function readMs(env: Env, variable: string, absent: number): number {
  const text = env[variable]?.trim();
  if (!text) return absent;
  const ms = /^\d+$/.test(text) ? Number(text) : 0;
  // Node's timers have this maximum.
  if (ms < 1 || ms > 2 ** 31 - 1) throw new Misconfigured(`${variable}: give milliseconds, from 1 to ${2 ** 31 - 1}`);
  return ms;
}

import { cutPrefix, MINIMUM_PREFIX, type PrefixCut, sharedLength } from './cut-prefix.ts';
import type { PromptCache } from './prompt-cache.ts';
import { countTokens, freshCount, type TokenCount } from './token-count.ts';

export type OpenaiBody = {
  model?: unknown;
  tools?: unknown[];
  response_format?: unknown;
  messages?: unknown[];
  prompt_cache_key?: unknown;
};

export type ResponsesBody = Pick<OpenaiBody, 'model' | 'tools' | 'prompt_cache_key'> & {
  instructions?: unknown;
  text?: { format?: unknown };
  input?: unknown[];
  prompt_cache_options?: { ttl?: unknown };
};

/** The number of tokens in a step of older models, which match prefixes in such steps. */
const STEP = 128;

const LONGEST_KEY = 64;

/**
 * Makes a cache like OpenAI's automatic cache. From GPT-5.6 on, each request writes an entry that ends with its
 * newest message, and only a whole entry matches. Older models match the longest common prefix and write for free.
 */
export function makeOpenaiCache(): PromptCache<OpenaiBody> {
  return makeCache(({ tools = [], response_format: format, messages = [] }) => [...tools, format, ...messages]);
}

/**
 * Makes a cache of Responses bodies. Only models with paid writes accept a ttl, and writes for 12 hours have another
 * price.
 */
export function makeResponsesCache(): PromptCache<ResponsesBody> {
  const cache = makeCache<ResponsesBody>(({ tools = [], text, instructions, input = [] }) => [
    ...[...tools, text?.format, instructions],
    ...input,
  ]);
  return {
    take(body) {
      const { model, prompt_cache_options: options } = body;
      if (options && !writesCost(model)) return { refusal: UNSUPPORTED };
      const taken = cache.take(body);
      if ('refusal' in taken || options?.ttl !== '12h') return taken;
      return { usage: { ...taken.usage, written: 0, writtenForHour: taken.usage.written } };
    },
  };
}

const UNSUPPORTED = "Unsupported parameter: 'prompt_cache_options' is not supported with this model.";

type Cached = Pick<OpenaiBody, 'model' | 'prompt_cache_key'>;

/** Makes a cache. `partsOf` returns the parts of the prefix in order. Missing parts are omitted. */
function makeCache<Body extends Cached>(partsOf: (body: Body) => unknown[]): PromptCache<Body> {
  const entries = new Set<string>();
  const earlier = new Map<string, string[]>();
  return {
    take(body) {
      const refusal = refuseKey(body.prompt_cache_key);
      if (refusal) return { refusal };
      const root = JSON.stringify([body.model, body.prompt_cache_key ?? null]);
      const blocks = partsOf(body).flatMap((part) => (part ? { text: JSON.stringify(part) } : []));
      if (writesCost(body.model)) return { usage: takeExact(cutPrefix(root, blocks), entries) };
      const texts = earlier.get(root) ?? [];
      const text = blocks.map((block) => block.text).join('');
      earlier.set(root, [...texts, text]);
      return { usage: takeLongest(text, texts) };
    },
  };
}

function writesCost(model: unknown): boolean {
  return /^gpt-(5\.[6-9]|[6-9])/.test(String(model));
}

function takeExact(cuts: readonly PrefixCut[], entries: Set<string>): TokenCount {
  const read = cuts.findLast(({ hash }) => entries.has(hash))?.tokens ?? 0;
  const end = cuts.at(-1);
  const all = end?.tokens ?? 0;
  if (!end || all < MINIMUM_PREFIX) return freshCount(all);
  entries.add(end.hash);
  return { ...freshCount(0), read, written: all - read };
}

function takeLongest(text: string, earlier: readonly string[]): TokenCount {
  const all = countTokens(text.length);
  const shared = Math.floor(sharedLength(text, earlier) / 4);
  const read = shared < MINIMUM_PREFIX ? 0 : shared - (shared % STEP);
  return { ...freshCount(all - read), read };
}

function refuseKey(key: unknown): string | null {
  if (key === undefined || key === null) return null;
  if (typeof key !== 'string') return "Invalid type for 'prompt_cache_key': expected a string.";
  if (key.length <= LONGEST_KEY) return null;
  const wanted = `Expected a string with maximum length ${LONGEST_KEY}`;
  return `Invalid 'prompt_cache_key': string too long. ${wanted}, but got a string with length ${key.length} instead.`;
}

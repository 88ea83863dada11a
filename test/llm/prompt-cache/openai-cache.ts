import { cutPrefix, MINIMUM_PREFIX, type PrefixCut, sharedLength } from './cut-prefix.ts';
import type { PromptCache } from './prompt-cache.ts';
import { countTokens, freshCount, type TokenCount } from './token-count.ts';

/** The fields of a Chat Completions body that matter for its cache. */
export type OpenaiBody = {
  model?: unknown;
  tools?: unknown[];
  response_format?: unknown;
  messages?: unknown[];
  prompt_cache_key?: unknown;
};

/** Older models match prefixes in steps of this many tokens. */
const STEP = 128;

const LONGEST_KEY = 64;

/**
 * Caches prefixes as OpenAI does without being asked. From GPT-5.6 on, each request writes an entry that ends with its
 * newest message, and only a whole entry matches. Older models match the longest common prefix and write for free.
 */
export function makeOpenaiCache(): PromptCache<OpenaiBody> {
  const entries = new Set<string>();
  const earlier = new Map<string, string[]>();
  return {
    take(body) {
      const refusal = refuseKey(body.prompt_cache_key);
      if (refusal) return { refusal };
      const root = JSON.stringify([body.model, body.prompt_cache_key ?? null]);
      const blocks = openaiBlocks(body);
      if (writesCost(body.model)) return { usage: takeExact(cutPrefix(root, blocks), entries) };
      const texts = earlier.get(root) ?? [];
      const text = blocks.map((block) => block.text).join('');
      earlier.set(root, [...texts, text]);
      return { usage: takeLongest(text, texts) };
    },
  };
}

/** The order of the prefix: tools, schema of the answer, messages. */
function openaiBlocks({ tools = [], response_format: format, messages = [] }: OpenaiBody) {
  return [...tools, ...(format ? [format] : []), ...messages].map((value) => ({ text: JSON.stringify(value) }));
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

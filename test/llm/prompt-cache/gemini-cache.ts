import { MINIMUM_PREFIX, sharedLength } from './cut-prefix.ts';
import type { PromptCache } from './prompt-cache.ts';
import { countTokens, freshCount } from './token-count.ts';

/** The fields of a generateContent body that affect its cache, and the model of its path. */
export type GeminiBody = { model?: unknown; tools?: unknown[]; systemInstruction?: unknown; contents?: Content[] };
type Content = { role?: unknown; parts?: unknown[] };

/** Makes a cache like Gemini's automatic cache: the longest common prefix of tools, instruction and contents. */
export function makeGeminiCache(): PromptCache<GeminiBody> {
  const earlier = new Map<unknown, string[]>();
  return {
    take(body) {
      const texts = earlier.get(body.model) ?? [];
      const text = textOfBody(body);
      earlier.set(body.model, [...texts, text]);
      const shared = Math.floor(sharedLength(text, texts) / 4);
      const read = shared < MINIMUM_PREFIX ? 0 : shared;
      return { usage: { ...freshCount(countTokens(text.length) - read), read } };
    },
  };
}

/** Joins the parts without brackets around a content, so that a longer content begins with a shorter content. */
function textOfBody({ tools = [], systemInstruction, contents = [] }: GeminiBody): string {
  const parts = contents.flatMap(({ role, parts = [] }) => parts.map((part) => [role, part]));
  return [...tools, systemInstruction ?? null, ...parts].map((value) => JSON.stringify(value)).join('');
}

import type { Content, Part } from '@google/genai';

/** What Google documents for calls that no Gemini model made. */
const NOT_OURS = 'skip_thought_signature_validator';

/** From its third generation on, Gemini refuses calls without a signature. */
const CHECKS_SIGNATURES = /gemini-([3-9]|\d{2}|.*latest)/;

/**
 * Marks calls that carry no signature since the last words of a user, where the model would refuse them: those that
 * a dialect read out of a text. The first call of a content speaks for all of them.
 */
export function signUnsigned(contents: Content[], model: string): Content[] {
  if (!CHECKS_SIGNATURES.test(model)) return contents;
  const start = contents.findLastIndex(({ role, parts }) => role === 'user' && parts?.some(({ text }) => text));
  return contents.map((content, index) => (index > start && content.parts ? sign(content, content.parts) : content));
}

function sign(content: Content, parts: Part[]): Content {
  const first = parts.findIndex(({ functionCall }) => functionCall);
  if (first === -1 || parts[first]?.thoughtSignature) return content;
  return { ...content, parts: parts.with(first, { ...parts[first], thoughtSignature: NOT_OURS }) };
}

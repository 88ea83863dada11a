import { z } from 'zod';
import { findJson } from './find-json.ts';
import { parseFitting } from './parse-fitting.ts';

/** A call as a decision names it; `arguments` is JSON text, or the model's own where it wrote a text. */
export type DecidedCall = { name: string; arguments: string };

const Call = z
  .object({ tool: z.string().min(1), arguments: z.unknown().optional() })
  .transform(({ tool, arguments: args }): DecidedCall => ({ name: tool, arguments: argumentsText(args) }));

/** The form that is asked for, its list alone, and the form of earlier days for a single call. */
const Decision = z.union([
  z.object({ tools: z.array(Call) }).transform(({ tools }) => tools),
  z.array(Call).min(1),
  Call.transform((call) => [call]),
]);

/**
 * The calls a model decided on: from JSON alone, in a code fence, wrapped in a string, or amid prose. No valid JSON
 * means no calls, and so does JSON that is cut off: half a decision is none. JSON beyond the limits counts as none, too.
 */
export function parseDecision(text: string | null): DecidedCall[] {
  const spoken = afterThoughts(text ?? '').trim();
  for (const value of [parseFitting(spoken), ...findJson(spoken), ...fencesIn(spoken).map(parseFitting)]) {
    const { data } = Decision.safeParse(unwrap(value));
    if (data) return data;
  }
  return [];
}

/** Some servers leave a model's thoughts in its text; they hold drafts, not the decision. */
function afterThoughts(text: string): string {
  const end = text.lastIndexOf('</think>');
  return end < 0 ? text : text.slice(end + '</think>'.length);
}

function fencesIn(text: string): string[] {
  return [...text.matchAll(/```[a-z]*\s([\s\S]*?)```/gi)].map(([, inside = '']) => inside);
}

function unwrap(value: unknown): unknown {
  return typeof value === 'string' ? parseFitting(value) : value;
}

function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value.trim() || '{}';
  return JSON.stringify(value ?? {});
}

import { z } from 'zod';
import { parseBoundedJson, withoutThoughts } from '../../../json.ts';
import { withoutFence } from '../../../text.ts';
import { type FoundJson, findJson } from './find-json.ts';
import { argumentsText, makeQuotations, type Quotations } from './quotations.ts';

/** A decided call. `arguments` is JSON text, or the model's own text. */
export type DecidedCall = { name: string; arguments: string };

const Call = z
  .object({ tool: z.string().min(1), arguments: z.unknown().optional() })
  .transform(({ tool, arguments: args }): DecidedCall => ({ name: tool, arguments: argumentsText(args) }));

/** The requested form, its list alone, and the earlier form for a single call. */
const Decision = z.union([
  z.object({ tools: z.array(Call) }).transform(({ tools }) => tools),
  z.array(Call).min(1),
  Call.transform((call) => [call]),
]);

/**
 * Returns the calls that a model decided on: from JSON alone, in a code fence, in a string, or in prose.
 * - Invalid, cut or too large JSON means no calls.
 * - JSON in prose that was `received`, such as in a tool's answer, is a quotation in any spelling and not a decision.
 */
export function parseDecision(text: string | null, received: readonly string[] = []): DecidedCall[] {
  const spoken = withoutThoughts(text ?? '').trim();
  const whole = Decision.safeParse(unwrap(parseBoundedJson(withoutFence(spoken))));
  return whole.success ? whole.data : (decisionAmid(spoken, makeQuotations(received)) ?? []);
}

/** The most quotations to skip, since each requires a search through all received texts. */
const MOST_QUOTATIONS = 20;

function decisionAmid(spoken: string, received: Quotations): DecidedCall[] | null {
  let quotations = 0;
  for (const { text, value } of [...findJson(spoken), ...fencesIn(spoken)]) {
    const { data } = Decision.safeParse(unwrap(value));
    if (!data) continue;
    if (!received.include(text, data)) return data;
    quotations += 1;
    if (quotations === MOST_QUOTATIONS) break;
  }
  return null;
}

function fencesIn(spoken: string): FoundJson[] {
  return [...spoken.matchAll(/```[a-z]*\s([\s\S]*?)```/gi)].map(([, text = '']) => ({
    text,
    value: parseBoundedJson(text),
  }));
}

function unwrap(value: unknown): unknown {
  return typeof value === 'string' ? parseBoundedJson(value) : value;
}

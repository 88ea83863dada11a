import { z } from 'zod';
import { parseBoundedJson, withoutThoughts } from '../../../json.ts';
import { withoutFence } from '../../../text.ts';
import { type FoundJson, findJson } from './find-json.ts';
import { argumentsText, makeQuotations, type Quotations } from './quotations.ts';

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
 * means no calls, and so does JSON that is cut off: half a decision is none. JSON beyond the limits counts as none, too. JSON
 * amid prose that was `received`, such as in a tool's answer, is a quotation and no decision, however it is spelled.
 */
export function parseDecision(text: string | null, received: readonly string[] = []): DecidedCall[] {
  const spoken = withoutThoughts(text ?? '').trim();
  const whole = Decision.safeParse(unwrap(parseBoundedJson(withoutFence(spoken))));
  return whole.success ? whole.data : (decisionAmid(spoken, makeQuotations(received)) ?? []);
}

/** Quotations that are passed over, at most: each costs a look through all that was received. */
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

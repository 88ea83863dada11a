import type { Exchange } from '#test/llm/recordings.ts';
import type { WireItem } from './heard.ts';

/** A recorded request; null where the client only looked for a response that ran in the background. */
export type WireBody = {
  model: string;
  instructions?: string | null;
  input: string | WireItem[];
  tools?: WireItem[];
  previous_response_id?: string | null;
} & Record<string, unknown>;
type Recorded = Exchange<WireBody | null>;

/**
 * The exchanges of a recording as a stateless client would have had them: a response that ran in the background is the
 * answer of its request, and an input that continues a stored response has everything before it.
 */
export function recordedExchanges(exchanges: Exchange<unknown>[]): Exchange<unknown>[] {
  const whole: Recorded[] = [];
  for (const exchange of exchanges as Recorded[]) {
    const { request, response } = exchange;
    const before = whole.at(-1);
    if (request && !request.body && before) whole[whole.length - 1] = { ...before, response };
    else whole.push(request?.body ? { ...exchange, request: { body: continued(request.body, before) } } : exchange);
  }
  return whole;
}

function continued(body: WireBody, before: Recorded | undefined): WireBody {
  const { previous_response_id: previous, store: _, ...rest } = body;
  if (!previous || !before?.request?.body) return body;
  const { output = [] } = before.response.body as { output?: WireItem[] };
  return { ...rest, input: [...itemsOf(before.request.body.input), ...output, ...itemsOf(body.input)] };
}

/** The items of an input, which may be one text. */
export function itemsOf(input: WireBody['input']): WireItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

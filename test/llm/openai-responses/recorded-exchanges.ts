import type { Exchange } from '#test/llm/recordings.ts';
import type { WireItem } from './heard.ts';

/** A recorded request, or null if the client only polled a background response. */
export type WireBody = {
  model: string;
  instructions?: string | null;
  input: string | WireItem[];
  tools?: WireItem[];
  previous_response_id?: string | null;
} & Record<string, unknown>;
type Recorded = Exchange<WireBody | null>;

/**
 * Returns the exchanges of a recording as a stateless client would have them. A background response is the answer to
 * its request. An input that continues a stored response includes all earlier items.
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

export function itemsOf(input: WireBody['input']): WireItem[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : input;
}

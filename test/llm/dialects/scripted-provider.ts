import { ProviderFailed } from '#core/failure.ts';
import type { Delta, Provider, RoundRequest } from '#core/llm/provider.ts';
import type { Reply, Usage } from '#core/turn/reply.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

export const weather = Tool.parse({
  name: 'get_weather',
  description: 'Get the weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
});
const postcard = Tool.parse({ name: 'send_postcard', description: 'Sends a postcard' });

export const withTools: RoundRequest = {
  ...someRequest,
  tools: [weather, postcard],
  declaredTools: [weather, postcard],
};

export function says(text: string | null, more: Partial<Reply> = {}): Reply {
  return { text, calls: [], finishReason: 'stop', finishReasonRaw: 'stop', usage: null, opaque: null, ...more };
}

export function usageOf(input: number, output: number): Usage {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
  };
}

export function refusal(code: string, message = 'refused'): ProviderFailed {
  return new ProviderFailed(code, message, { retry: { kind: 'never' } });
}

/** Makes a provider that gives these replies in order, with text deltas of `pieceChars`. Records its requests. */
export function scriptedProvider(replies: (Reply | ProviderFailed)[], { pieceChars = 3 } = {}) {
  const asked: RoundRequest[] = [];
  const ask: Provider['ask'] = async (request, _signal, onDelta) => {
    asked.push(request);
    const reply = replies[asked.length - 1];
    if (!reply) throw new Error(`request ${asked.length} is not scripted`);
    if (reply instanceof ProviderFailed) throw reply;
    const text = reply.text ?? '';
    const said = text.slice(0, reply.refusalFrom ?? undefined);
    for (let at = 0; at < said.length; at += pieceChars) {
      onDelta({ kind: 'text', text: said.slice(at, at + pieceChars) });
    }
    if (said.length < text.length) onDelta({ kind: 'refusal', text: text.slice(said.length) });
    return reply;
  };
  return { name: 'scripted', ask, asked };
}

/** Asks once. Returns the reply or the failure, with the text and the deltas that were shown. */
export async function askOnce(provider: Pick<Provider, 'ask'>, request: RoundRequest) {
  const deltas: Delta[] = [];
  const reply = await provider
    .ask(request, new AbortController().signal, (delta) => deltas.push(delta))
    .catch((error: unknown) => error);
  const isShown = ({ kind }: Delta) => kind === 'text' || kind === 'refusal';
  const shown = deltas.flatMap((delta) => (isShown(delta) ? delta.text : [])).join('');
  return { reply: reply as Reply, failure: reply as ProviderFailed, deltas, shown };
}

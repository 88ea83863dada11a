import { text } from 'node:stream/consumers';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import type { Delta, RoundRequest } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { block, event, message } from '#test/llm/anthropic-wire.ts';
import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { sealsIn } from '#test/llm/check-wire/anthropic-server-tools.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

type Body = { messages: { role: string; content: Record<string, unknown>[] }[] } & Record<string, unknown>;

/** A scripted answer: the events of a stream, or the status and the message of a refusal. */
type Script = string[] | { status: number; refuses: string };

type HostedServer = AsyncDisposable & { origin: string; asked: Body[]; refused: string[] };

/**
 * Starts a server with hosted tools that refuses the same requests as Anthropic, among them requests with encrypted
 * texts that it has not made. The last answer is repeated.
 */
export async function startHostedServer(...answers: Script[]): Promise<HostedServer> {
  const [asked, refused]: [Body[], string[]] = [[], []];
  const seals = new Set<string>();
  const script = [...answers];
  const server = createServer(async (request, response) => {
    const json = await text(request);
    const body: Body = JSON.parse(json);
    const changed = sealsIn(json).some((seal) => !seals.has(seal)) ? ['Invalid `encrypted_content`'] : [];
    const problems = [...checkAnthropic(body), ...changed];
    asked.push(body);
    refused.push(...problems);
    const answer =
      problems.length > 0 ? { status: 400, refuses: problems.join('; ') } : (script.shift() ?? answers.at(-1)!);
    if (Array.isArray(answer)) {
      for (const seal of sealsIn(answer.join(''))) seals.add(seal);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(answer.join(''));
    } else {
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      const error = { type: 'invalid_request_error', message: answer.refuses };
      response.end(JSON.stringify({ type: 'error', error }));
    }
  });
  return { ...(await listen(server)), asked, refused };
}

const { post } = makeHttpClient();
const search = { type: 'web_search' as const };

/** A provider of a hosted server, with the deltas of all its replies. */
export function askHosted({ origin }: { origin: string }, settings: { promptCache?: boolean } = {}) {
  const provider = anthropicProvider({ name: 'anthropic', apiKey: 'key', baseUrl: origin, post, ...settings });
  const deltas: Delta[] = [];
  const ask = (change: Partial<RoundRequest> = {}): Promise<Reply> => {
    const request = { ...someRequest, hostedTools: [search], ...change };
    return provider.ask(request, new AbortController().signal, (delta) => deltas.push(delta));
  };
  return { ask, deltas };
}

/** Returns a reply as a message of the history, with its state. */
export function spoken({ text: content, calls, opaque, hosted }: Reply): Message {
  return {
    ...{ role: 'assistant', content, calls },
    ...(opaque ? { opaque: { provider: 'anthropic', state: opaque } } : {}),
    ...(hosted && hosted.calls.length > 0 ? { hosted: hosted.calls } : {}),
  };
}

/** Returns the events of a message with these blocks, each with its deltas. */
export function answer(
  blocks: (object | [start: object, ...deltas: object[]])[],
  { stop = 'end_turn', container }: { stop?: string; container?: object } = {},
): string[] {
  const middle = blocks.flatMap((given, index) => {
    const [start, ...deltas] = Array.isArray(given) ? given : [given];
    return block(index, start, deltas);
  });
  const usage = { start: { input_tokens: 10, output_tokens: 1 }, end: { output_tokens: 5 } };
  const events = message(middle, stop, usage);
  if (!container) return events;
  const delta = { stop_reason: stop, stop_sequence: null, container };
  return [...events.slice(0, -2), event({ type: 'message_delta', delta, usage: usage.end }), ...events.slice(-1)];
}

export const words = (said: string) => ({ type: 'text', text: said });

/** Returns the call of a server tool as a stream sends it, with its input in pieces. */
export function serverCall(id: string, name: string, input: object, more: object = {}): [object, ...object[]] {
  const json = JSON.stringify(input);
  const pieces = [json.slice(0, 5), json.slice(5)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  return [{ type: 'server_tool_use', id, name, input: {}, ...more }, ...pieces];
}

/** Returns the results of a search. */
export function found(id: string, ...urls: string[]) {
  const content = urls.map((url) => ({
    ...{ type: 'web_search_result', url, title: `About ${url}`, page_age: null },
    encrypted_content: `sealed ${url}`,
  }));
  return { type: 'web_search_tool_result', tool_use_id: id, content, caller: { type: 'direct' } };
}

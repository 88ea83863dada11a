import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { partsEvent } from '#test/llm/gemini-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { callItem, messageItem, reasoningItem, responseStream } from '#test/llm/responses-events.ts';

/** A wire that builds a call or an answer with the state to send back. */
export type StateWire = {
  name: 'chat' | 'responses' | 'anthropic' | 'gemini';
  model: string;
  call(state: string, id: string): string[];
  answer(state: string): string[];
};

const NAME = 'weather_lookup';
const args = { city: 'Bern' };
const pieces = (id: string) => ({ id, name: NAME, arguments: [JSON.stringify(args)] });
const sealed = (state: string) => reasoningItem([], { encrypted_content: state });
const stopped = { finishReason: 'STOP' };

export const chat: StateWire = {
  name: 'chat',
  model: 'openai/gpt-4.1',
  call: (state, id) => openaiWire.reply({ reasoning: [state], calls: [pieces(id)] }),
  answer: (state) => openaiWire.reply({ reasoning: [state], text: ['Sunny.'] }),
};

export const responses: StateWire = {
  name: 'responses',
  model: 'responses/gpt-6',
  call: (state, id) => responseStream([sealed(state), callItem(pieces(id))]),
  answer: (state) => responseStream([sealed(state), messageItem(['Sunny.'])]),
};

export const anthropic: StateWire = {
  name: 'anthropic',
  model: 'anthropic/claude-sonnet-5',
  call: (state, id) => anthropicWire.reply({ reasoning: [state], calls: [pieces(id)] }),
  answer: (state) => anthropicWire.reply({ reasoning: [state], text: ['Sunny.'] }),
};

export const gemini: StateWire = {
  name: 'gemini',
  model: 'gemini/gemini-3-pro',
  call: (state, id) => [partsEvent([{ functionCall: { id, name: NAME, args }, thoughtSignature: state }], stopped)],
  answer: (state) => [partsEvent([{ text: 'Sunny.', thoughtSignature: state }], stopped)],
};

/** The answer with which a server refuses state. */
export type StateRefusal = { status: number; error: object };

type Request = { states: string[]; isRefused: boolean; id: string; history: string[] };
export type ForgetfulServer = AsyncDisposable & {
  origin: string;
  /** The states in each request so far, the messages or items of its history, and whether the server refused it. */
  requests: Request[];
  /** Makes the server refuse all states that it has given so far. */
  forget(): void;
  /** Makes the server refuse each request. */
  refuseAll(): void;
};

/**
 * Starts a server that repeats a script of calls and answers. Each has a state: `state-1`, `state-2` and so on. All
 * calls have the same odd id. The server refuses a request with a forgotten state.
 */
export async function startForgetfulServer(
  wire: StateWire,
  { refusal, script }: { refusal: StateRefusal; script: ('call' | 'answer')[] },
): Promise<ForgetfulServer> {
  const requests: Request[] = [];
  let given = 0;
  let forgotten = 0;
  let refusesAll = false;
  const next = () => {
    given += 1;
    const state = `state-${given}`;
    return script[(given - 1) % script.length] === 'call' ? wire.call(state, `${NAME}:0`) : wire.answer(state);
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const states = body.match(/\bstate-\d+\b/g) ?? [];
    const isRefused = refusesAll || states.some((state) => Number(state.slice('state-'.length)) <= forgotten);
    requests.push({ states, isRefused, id: String(request.headers['x-client-request-id']), history: historyIn(body) });
    const type = isRefused ? 'application/json' : 'text/event-stream';
    response.writeHead(isRefused ? refusal.status : 200, { 'content-type': type });
    response.end(isRefused ? JSON.stringify(refusal.error) : next().join(''));
  });
  const listening = await listen(server);
  return {
    ...listening,
    requests,
    forget: () => {
      forgotten = given;
    },
    refuseAll: () => {
      refusesAll = true;
    },
  };
}

/** Returns the messages or items of a request without the marks of a cache, which move with each request. */
function historyIn(body: string): string[] {
  const { messages, input, contents } = JSON.parse(body) as Record<string, object[] | undefined>;
  const unmarked = (key: string, value: unknown) => (key === 'cache_control' ? undefined : value);
  return (messages ?? input ?? contents ?? []).map((each) => JSON.stringify(each, unmarked));
}

import type { ServerResponse } from 'node:http';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { openForwardProxy } from '#test/harness/servers/forward-proxy.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { responsesWire } from '#test/llm/responses-wire.ts';
import type { ScriptedReply } from '#test/llm/wire-script.ts';

export type Wire = 'responses' | 'chat';
type Asked = { host: string; wire: Wire; body: Record<string, unknown> };

export type TwoWires = AsyncDisposable & {
  asked: Asked[];
  /** Opens processes with these settings. All share the stores, and reach each host of a model. */
  open(env?: Record<string, string>): Promise<Harness>;
};

/** Hosts at which a built-in provider uses Responses, and another host. */
export const HOSTS = {
  openai: 'api.openai.com',
  azure: 'me.openai.azure.com',
  xai: 'api.x.ai',
  other: 'gateway.test',
};

type Server = { lacksResponses?: boolean; reply?: ScriptedReply };

/** Starts a server with both wires, in place of the host of each model. It answers `Hi.`, or another reply. */
export async function openTwoWires({
  lacksResponses = false,
  reply = { text: ['Hi.'] },
}: Server = {}): Promise<TwoWires> {
  const stack = new AsyncDisposableStack();
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const wire = request.url?.endsWith('/responses') ? 'responses' : 'chat';
    asked.push({ host: request.headers.host ?? '', wire, body: JSON.parse(Buffer.concat(chunks).toString()) });
    answer(response, lacksResponses && wire === 'responses' ? null : wire, reply);
  });
  const { port } = stack.use(await listen(server));
  const hosts = Object.values(HOSTS).map((host) => [host, port]);
  const proxy = stack.use(await openForwardProxy(Object.fromEntries(hosts)));
  let beside: Harness | undefined;
  const open = async (env: Record<string, string> = {}) => {
    const urls = {
      OPENAI_BASE_URL: urlAt('api.openai.com'),
      XAI_BASE_URL: urlAt('api.x.ai'),
      XAI_API_KEY: 'none-at-all',
    };
    const harness = stack.use(await createHarness({ beside, env: { HTTP_PROXY: proxy.url, ...urls, ...env } }));
    beside ??= harness;
    return harness;
  };
  return { asked, open, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Returns the answer over a wire, or null for an unknown path. */
function answer(response: ServerResponse, wire: Wire | null, reply: ScriptedReply): void {
  if (wire === null) return void response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end((wire === 'chat' ? openaiWire : responsesWire).reply(reply).join(''));
}

export function urlAt(host: string): string {
  return `http://${host}/v1`;
}

/** Posts a request for a turn, and runs the turn to its end. */
export async function run(harness: Harness, path: string, body: object): Promise<TurnResource> {
  const { status, body: turn } = await harness.call<TurnResource>('POST', path, { body });
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(turn)}`);
  await harness.workUntilIdle();
  return harness.findTurn(turn.id);
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import { answerChat, type OnRequest } from './answer-chat.ts';
import { refusalBody } from './error-body.ts';

/** A running simulator; `stop` ends its open connections at once. */
export type Simulator = { baseUrl: string; port: number; stop(): Promise<void> };

const MODELS = {
  object: 'list',
  data: [{ id: 'demo', object: 'model', created: 1_767_225_600, owned_by: 'simulator' }],
};

/** Starts an OpenAI-wire server that is scripted by its input. Port 0, the default, takes a free one. */
export async function startSimulator(
  options: { host?: string; port?: number; onRequest?: OnRequest } = {},
): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, onRequest } = options;
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    const asked = `${request.method} ${request.url?.split('?')[0]}`;
    if (asked === 'POST /v1/chat/completions') return void answerChat(request, response, onRequest);
    const [status, body] =
      asked === 'GET /v1/models' ? [200, MODELS] : [404, refusalBody('unknown_url', `There is no ${asked} here.`)];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  return { baseUrl: `http://${host}:${boundPort}/v1`, port: boundPort, stop };

  async function stop(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }
}

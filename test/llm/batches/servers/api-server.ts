import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, listen } from '#test/harness/servers/create-server.ts';

/** One whole request to a scripted server. */
export type ApiRequest = {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingHttpHeaders;
  text: string;
};

/**
 * An answer: an object is sent as JSON. `cut` breaks the connection after the body, `lost` before any
 * byte, and `open` never ends the body.
 */
export type ApiAnswer = { status?: number; body?: object | string; ending?: 'end' | 'cut' | 'lost' | 'open' };

/** Starts a server on a real socket. Requests that their client has left are not handled. */
export async function startApiServer(handle: (request: ApiRequest) => ApiAnswer) {
  const asked: ApiRequest[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request).catch(() => null);
    if (text === null) return;
    const { pathname: path, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const query = Object.fromEntries(searchParams);
    const whole = { method: request.method ?? '', path, query, headers: request.headers, text };
    asked.push(whole);
    play(response, handle(whole));
  });
  return { ...(await listen(server)), asked };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function play(response: ServerResponse, { status = 200, body = {}, ending = 'end' }: ApiAnswer): void {
  if (ending === 'lost') return void response.destroy();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': typeof body === 'string' ? 'application/jsonl' : 'application/json' });
  if (ending === 'end') response.end(text);
  else if (ending === 'open') response.write(text);
  else response.write(text, () => response.destroy());
}

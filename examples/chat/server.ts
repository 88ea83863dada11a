// Serves a chat page with the AI SDK's useChat and durable answers. Reload the page, or kill Pawl's API or worker
// during an answer: the page still ends with the stored text. Run `npm start`, and in another terminal:
//   npx node examples/chat/server.ts
// Then open http://127.0.0.1:3000. The browser only calls this server, which keeps the project's key. A real server
// also knows its users and their conversations.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { connectPawl, type ListedTurn } from 'pawl/client';
import { rolldown } from 'rolldown';

const { PORT = '3000', PAWL_URL = 'http://127.0.0.1:8080', PAWL_API_KEY, MODEL = 'sim/demo' } = process.env;
const pawl = connectPawl({ baseUrl: PAWL_URL, apiKey: PAWL_API_KEY });

const script = await bundlePage();
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Chat</title><link rel="icon" href="data:,"><main></main><script type="module" src="/page.js"></script></html>`;

const server = createServer((request, response) => {
  answer(request, response).catch((error: Error) => {
    // It is too late for a status. The page notices the broken connection and asks again.
    if (response.headersSent) return response.destroy();
    response.writeHead(502, { 'content-type': 'text/plain' }).end(`pawl_away: ${error.message}`);
  });
});
server.listen(Number(PORT), '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(`The chat is at http://127.0.0.1:${port}/`);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const [, place, id = '', part] = (request.url ?? '/').split('/');
  switch (`${request.method} /${[place, id && ':id', part].filter(Boolean).join('/')}`) {
    case 'GET /': {
      const conversation = await pawl.conversations.create({ model: MODEL });
      return response.writeHead(303, { location: `/chat/${conversation.id}` }).end();
    }
    case 'GET /chat/:id':
      return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
    case 'GET /page.js':
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    case 'GET /api/:id/messages':
      return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await messagesOf(id)));
    case 'POST /api/:id/messages': {
      // The id of the message is the idempotency key, so a repeated message does not start a second turn.
      const { text, key } = (await json(request)) as { text: string; key: string };
      const turn = await pawl.conversations.attach(id).start({ input: text }, { idempotencyKey: key });
      return passStream(turn.id, response);
    }
    case 'GET /api/:id/stream': {
      const latest = await latestTurn(id);
      return latest ? passStream(latest.id, response) : response.writeHead(204).end();
    }
    case 'POST /api/:id/stop':
      await pawl.turns.attach((await latestTurn(id))?.id ?? '').cancel();
      return response.writeHead(204).end();
    default:
      return response.writeHead(404).end();
  }
}

/** Streams a turn's message in the format of the AI SDK. When the browser disconnects, the turn continues. */
async function passStream(turnId: string, response: ServerResponse): Promise<void> {
  const leaving = new AbortController();
  response.on('close', () => leaving.abort());
  const headers: Record<string, string> = PAWL_API_KEY ? { authorization: `Bearer ${PAWL_API_KEY}` } : {};
  const stream = await fetch(`${PAWL_URL}/v1/turns/${turnId}/ui-stream`, { headers, signal: leaving.signal });
  if (!stream.ok) throw new Error(await stream.text());
  response.writeHead(200, Object.fromEntries(stream.headers));
  await pipeline(Readable.from(stream.body ?? []), response);
}

/** Returns the newest turn, even if it has ended. So the stream is complete if the turn ends before the request. */
async function latestTurn(conversationId: string) {
  for await (const turn of pawl.turns.list({ conversationId, limit: 1 })) return turn;
  return undefined;
}

/** Returns the messages before the page was opened, without the newest answer, which its stream sends. */
async function messagesOf(conversationId: string) {
  const turns: ListedTurn[] = [];
  for await (const turn of pawl.turns.list({ conversationId })) turns.unshift(turn);
  return turns.flatMap(({ id, input, output }, index) => [
    ...input.map(({ role, content }, place) =>
      messageOf(`${id}_${place}`, role, typeof content === 'string' ? content : '(with files)'),
    ),
    ...(index < turns.length - 1 && output ? [messageOf(id, 'assistant', output)] : []),
  ]);
}

function messageOf(id: string, role: string, text: string) {
  return { id, role, parts: [{ type: 'text', text }] };
}

async function bundlePage(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'page.tsx'),
    ...{ platform: 'browser', logLevel: 'silent' },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await bundle.generate({ minify: true });
  return output[0].code;
}

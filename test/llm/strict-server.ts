import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';

type Message = { role: string; content?: unknown };
type Body = { messages: Message[] };

/** The rules of a strict server: the role order that it requires, and its refusal of other orders. */
type Strict = { order: (messages: Message[]) => string[]; words: string };

type StrictServer = AsyncDisposable & { baseUrl: string; refused: Body[] };

/** Starts a server of Chat Completions that refuses wrong role orders, and answers other requests with `reply`. */
export async function startStrictServer(
  { order, words }: Strict,
  reply: (conversation: string) => string,
): Promise<StrictServer> {
  const refused: Body[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body: Body = JSON.parse(Buffer.concat(chunks).toString());
    const isTaken = order(body.messages).length === 0;
    if (!isTaken) refused.push(body);
    response.writeHead(isTaken ? 200 : 400, { 'content-type': isTaken ? 'text/event-stream' : 'application/json' });
    if (isTaken) response.end(openaiWire.reply({ text: [reply(JSON.stringify(body.messages))] }).join(''));
    else response.end(JSON.stringify({ error: { message: words, type: 'BadRequestError', code: 400 } }));
  });
  const { origin, ...end } = await listen(server);
  return { ...end, baseUrl: `${origin}/v1`, refused };
}

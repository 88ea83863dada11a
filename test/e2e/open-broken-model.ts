import type { ServerResponse } from 'node:http';
import { createServer, listen } from '../harness/servers/create-server.ts';

/** A model that stops in the middle of its first reply. */
export type BrokenModel = AsyncDisposable & {
  baseUrl: string;
  /** Resolves when the model has written the first half of its first reply. */
  halfWritten: Promise<void>;
};

/** Starts a model that stops after half of its first reply, and gives its second reply whole. */
export async function openBrokenModel([first, second]: readonly [string, string]): Promise<BrokenModel> {
  const { promise: halfWritten, resolve: reach } = Promise.withResolvers<void>();
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (requests > 1) return void finish(response, second);
    write(response, { content: first.slice(0, first.length / 2) });
    reach();
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    baseUrl: `${origin}/v1`,
    halfWritten,
    [Symbol.asyncDispose]: close,
  };
}

function finish(response: ServerResponse, text: string): void {
  for (const content of text.match(/.{1,5}/gs) ?? []) write(response, { content });
  write(response, {}, 'stop');
  response.end('data: [DONE]\n\n');
}

function write(response: ServerResponse, delta: object, finish_reason: string | null = null): void {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-4o' };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const chunk = { ...head, choices: [{ index: 0, delta, finish_reason }], ...(finish_reason && { usage }) };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

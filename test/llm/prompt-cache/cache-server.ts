import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import type { CacheReply, CacheWire } from './cache-wires.ts';
import { billOf, countTokens, type TokenCount, type TokenPrices } from './token-count.ts';

type Body = Record<string, unknown>;

type Script = {
  prices: TokenPrices;
  /** Returns the reply to an answered request, counted from 1. */
  reply(request: number, body: Body): CacheReply;
  /** Fields that the server refuses as unknown, like some gateways. */
  unknownFields?: readonly string[];
};

/** A scripted server with a prompt cache and its own bill. */
export type CacheServer = AsyncDisposable & {
  origin: string;
  /** The bodies of the answered requests, and their tokens. */
  answered: Body[];
  counts: TokenCount[];
  refusals: string[];
  bill(): number;
};

/** Starts a server that caches prompts like the provider of a wire, and refuses the same requests. */
export async function startCacheServer(wire: CacheWire, script: Script): Promise<CacheServer> {
  const [answered, counts, refusals]: [Body[], TokenCount[], string[]] = [[], [], []];
  const cache = wire.makeCache();
  const server = createServer(async (request, response) => {
    const body = await readBody(request);
    const taken = refuse(wire, body, script.unknownFields) ?? cache.take(body);
    if ('refusal' in taken) {
      refusals.push(taken.refusal);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.writeRefusal(taken.refusal)));
      return;
    }
    const reply = script.reply(answered.push(body), body);
    const count = { ...taken.usage, output: countTokens(JSON.stringify(reply).length) };
    counts.push(count);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(wire.writeReply(reply, count).join(''));
  });
  return {
    ...(await listen(server)),
    ...{ answered, counts, refusals },
    bill: () => counts.reduce((sum, count) => sum + billOf(script.prices, count), 0),
  };
}

/** Reads a body. On Gemini, only the path has the model. */
async function readBody(request: IncomingMessage): Promise<Body> {
  const model = /models\/([^:]+):/.exec(request.url ?? '')?.[1];
  return { ...(model ? { model } : {}), ...JSON.parse(await text(request)) };
}

function refuse(wire: CacheWire, body: Body, unknownFields: readonly string[] = []): { refusal: string } | null {
  const unknown = unknownFields.find((field) => JSON.stringify(body).includes(`"${field}":`));
  if (unknown) return { refusal: wire.unknownField(unknown) };
  const problems = wire.problems(body, String(body.model));
  return problems.length > 0 ? { refusal: problems.join(', ') } : null;
}

import type { FinishReason } from '../../turn/reply.ts';
import type { Asked } from '../errors/name-failure.ts';
import type { RoundRequest } from '../provider.ts';
import { type Post, urlBelow } from './http-client.ts';
import { type ListedModel, listModels } from './list-models.ts';
import { type HeadersByName, mergeHeaders, secretsIn } from './merge-headers.ts';
import { writeBody } from './write-body.ts';

/** A server that speaks one of OpenAI's two wires. */
export type OpenaiServer = {
  name: string;
  /** Null for servers that need none; then no Authorization header is sent. */
  apiKey: string | null;
  /** Ends in `/v1`; a function if it is known only at the first call. */
  baseUrl: string | (() => Promise<string>);
  post: Post;
  /** Where the operator keeps the key, for the sentence that says to check it. */
  keyName?: string;
  /** Where the operator keeps the base URL, for the same kind of sentence. */
  urlName?: string;
  /** Finish reasons that the operator teaches, by the server's words in small letters. */
  finishReasons?: ReadonlyMap<string, FinishReason>;
  /** Headers of the operator's own. */
  headers?: HeadersByName;
};

/** Returns the function that makes the request of a body at a path of the server. */
export function postsTo(server: OpenaiServer, path: string) {
  const url = urlOf(server, path);
  return async ({ request, body }: { request: RoundRequest; body: object }) => {
    const own = { 'content-type': 'application/json', 'x-client-request-id': request.requestId, ...request.trace };
    return {
      url: await url(),
      headers: mergeHeaders({ ...headersOf(server), ...own }, server, request),
      body: await writeBody(body),
    };
  };
}

/** The models that the server lists now. */
export async function listServerModels(server: OpenaiServer, signal: AbortSignal): Promise<ListedModel[]> {
  const headers = mergeHeaders(headersOf(server), server);
  return listModels(server.post, { url: await urlOf(server, '/models')(), headers, signal });
}

/** Returns the names that failures of this server have in their sentences, all but the model. */
export function askedOf({ name, apiKey, keyName = `the key of ${name}`, ...server }: OpenaiServer): Asked {
  return { provider: name, apiKey, secrets: secretsIn(server.headers), keyName, ...urlNameOf(server) };
}

/** Most servers want a base URL that ends in a version; the sentence says so if it does not. */
function urlNameOf({ baseUrl, urlName }: Pick<OpenaiServer, 'baseUrl' | 'urlName'>): { urlName?: string } {
  if (!urlName) return {};
  const endsInVersion = typeof baseUrl !== 'string' || /\/v\d+\w*\/*$/.test(new URL(baseUrl).pathname);
  return { urlName: endsInVersion ? urlName : `${urlName}, which does not end in /v1` };
}

/** Parses a base URL once, if it is known before the first call. */
function urlOf({ baseUrl }: OpenaiServer, path: string): () => string | Promise<string> {
  if (typeof baseUrl !== 'string') return async () => urlBelow(await baseUrl(), path);
  const url = urlBelow(baseUrl, path);
  return () => url;
}

function headersOf({ apiKey }: OpenaiServer): Record<string, string> {
  return { accept: 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) };
}

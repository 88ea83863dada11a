import { createHash } from 'node:crypto';
import { ProviderFailed } from '../../failure.ts';
import { parseJson } from '../../json.ts';
import { classifyBreakage, nameBreakages } from '../errors/classify-breakage.ts';
import { classifyRefusal } from '../errors/classify-refusal.ts';
import { type Asked, nameFailure } from '../errors/name-failure.ts';
import { chunksOf } from '../http/byte-queue.ts';
import type { PostRequest } from '../http/http-client.ts';
import { type HttpServer, namesOf } from '../http/http-provider.ts';
import { type HeadersByName, mergeHeaders } from '../http/merge-headers.ts';
import { type OpenedReply, openReply, type Refusal, readError } from '../http/open-reply.ts';
import { type Fields, fieldsIn } from '../reply/fields.ts';

/** One request about batches. `query` is added to the URL. */
export type BatchCall = {
  path: string;
  method?: PostRequest['method'];
  query?: Record<string, string>;
  headers?: HeadersByName;
  body?: PostRequest['body'];
  signal: AbortSignal;
};

/** An answer without a refusal. `fields` is its JSON object, or empty. */
export type BatchReply = { kind: 'answer'; fields: Fields };

/** How to reach the batch API of a server. Failures are `ProviderFailed`, or the reason of the signal. */
export type BatchApi = {
  /** Sends a request. Returns a refusal below 500, and rejects without a usable answer. */
  call(call: BatchCall): Promise<BatchReply | Refusal>;
  /** Sends a request. A refusal is a failure too. */
  read(call: BatchCall): Promise<Fields>;
  /** Reads a body of any length, chunk by chunk. A cut body fails after its bytes. */
  download(call: BatchCall): AsyncGenerator<Uint8Array>;
  /** Deletes an object. Returns whether the server does not have the object any more. */
  remove(call: BatchCall): Promise<boolean>;
  failureOf(refusal: Refusal, model?: string): ProviderFailed;
  asked: Asked;
};

/** A server with its own paths, headers and classification of refusals. */
export type Reached = {
  server: HttpServer;
  customHeaders?: HeadersByName | undefined;
  /** The headers of each request, with the key. */
  headers: HeadersByName;
  urlOf(path: string): Promise<string>;
  classify?(refusal: Refusal, asked: Asked): ProviderFailed;
};

/** Returns how to reach the batch API of a server. */
export function makeBatchApi(reached: Reached): BatchApi {
  const { server, customHeaders, classify = classifyRefusal } = reached;
  const asked = namesOf(server, customHeaders);
  const failureOf = (refusal: Refusal, model?: string) => classify(refusal, model ? { ...asked, model } : asked);
  const call: BatchApi['call'] = async (given) => {
    const opened = await nameBreakages(asked, given.signal, async () =>
      openReply(server.post, await requestOf(given, reached)),
    );
    if (opened.kind !== 'refused') return { kind: 'answer', fields: await fieldsOf(opened) };
    if (isUnknown(opened.status)) throw failureOf(opened);
    return opened;
  };
  const remove: BatchApi['remove'] = async (given) => {
    const answer = await call({ ...given, method: 'DELETE' });
    return answer.kind === 'answer' || GONE.includes(answer.status);
  };
  return {
    ...{ asked, failureOf, call, remove },
    async read(given) {
      const answer = await call(given);
      if (answer.kind === 'refused') throw failureOf(answer);
      return answer.fields;
    },
    async *download(given) {
      try {
        yield* bytesOf(given, reached, failureOf);
      } catch (error) {
        given.signal.throwIfAborted();
        throw classifyUnknown(error, asked);
      }
    },
  };
}

/** Statuses of an object that the server does not have. */
const GONE = [404, 410];

/** Returns whether a status leaves unknown whether the server has done its work. */
function isUnknown(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Returns a short hash of an account. A key that changes makes another account. The key cannot be read from it. */
export function accountOf(place: string, apiKey: string | null): string {
  return createHash('sha256')
    .update(`${place.replace(/\/+$/, '')}\n${apiKey ?? ''}`)
    .digest('hex')
    .slice(0, 16);
}

/** Returns the failure of an answer that is no usable answer about a batch. */
export function unusableAnswer({ asked }: Pick<BatchApi, 'asked'>, reason: string): ProviderFailed {
  return nameFailure('provider_bad_response', { ...asked, reason });
}

async function requestOf(
  { path, method = 'GET', query = {}, headers: own = {}, body = '', signal }: BatchCall,
  { server, headers, urlOf }: Reached,
): Promise<PostRequest> {
  const url = new URL(await urlOf(path));
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return { url: url.href, method, headers: mergeHeaders({ ...headers, ...own }, server), body, signal };
}

/** Returns the JSON object of an answer. Answers without a body have no fields. */
async function fieldsOf(opened: OpenedReply): Promise<Fields> {
  if (opened.kind === 'whole') return fieldsIn(parseJson(opened.text)) ?? {};
  await opened.events.return(undefined);
  return {};
}

async function* bytesOf(
  given: BatchCall,
  reached: Reached,
  failureOf: BatchApi['failureOf'],
): AsyncGenerator<Uint8Array> {
  const request = await requestOf(given, reached);
  const headers = { 'user-agent': 'Pawl', ...request.headers };
  const answer = await reached.server.post({ ...request, headers });
  const { status } = answer;
  if (status < 200 || status > 299) {
    throw failureOf({ kind: 'refused', status, headers: answer.headers, text: await readError(answer.body) });
  }
  yield* chunksOf(answer.body);
}

function classifyUnknown(error: unknown, asked: Asked): unknown {
  return error instanceof ProviderFailed ? error : classifyBreakage(error, asked);
}

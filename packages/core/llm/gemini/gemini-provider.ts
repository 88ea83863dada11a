import { nameFailure } from '../errors/name-failure.ts';
import type { Ending } from '../errors/reply-of-refusal.ts';
import { urlBelow } from '../http/http-client.ts';
import { type HttpServer, httpProvider, type Reader, readReply, requestHeaders } from '../http/http-provider.ts';
import type { Provider } from '../provider.ts';
import { askAgain } from '../refusals/ask-again.ts';
import { AS_IT_CAME, nextThoughtState } from '../refusals/thought-state.ts';
import { classifyErrorObject, classifyRefusal } from './classify-refusal.ts';
import { type Body, renderRequest } from './render-request.ts';
import { finishReply, isFinished, type ReplyAccumulator, startReply, takeChunk } from './reply-accumulator.ts';

export type GeminiOptions = HttpServer & {
  /** The URL without a version at its end. */
  baseUrl: string;
  /** The version of the API, `v1` by default. */
  apiVersion?: string;
};

/**
 * Makes a provider for Gemini's generateContent. A call is one request, unless the server refuses signatures in the
 * history.
 */
export function geminiProvider(options: GeminiOptions): Provider {
  const { name, baseUrl, apiVersion = 'v1' } = options;
  const key = geminiKey(options);
  return httpProvider<Body>(options, {
    wire: 'gemini',
    listAt: () => ({ url: urlBelow(baseUrl, `/${apiVersion}/models`), headers: key }),
    postAt: (request) => ({
      url: streamUrl(urlBelow(baseUrl, `/${apiVersion}/${modelPath(request.model)}:streamGenerateContent`)),
      headers: { 'content-type': 'application/json', ...requestHeaders(request), ...key },
    }),
    async ask({ request, asked }, send) {
      if (!isModelName(request.model)) throw nameFailure('provider_model_not_found', asked);
      const { reply, form } = await askAgain(AS_IT_CAME, {
        send,
        bodyOf: (state) => renderRequest(request, name, state),
        learn: nextThoughtState,
      });
      return form.isKept ? reply : { ...reply, leftStateOut: true };
    },
    read: (opened, call) => readReply(opened, READER, call),
    classify: classifyRefusal,
  });
}

/** Returns the header with the key of a server, if it has a key. */
export function geminiKey({ apiKey }: Pick<GeminiOptions, 'apiKey'>): Record<string, string> {
  return apiKey === null ? {} : { 'x-goog-api-key': apiKey };
}

/** Returns whether a model's name is safe as a part of the URL's path. */
export function isModelName(model: string): boolean {
  return /^[\w.:@/-]+$/.test(model) && !model.includes('..');
}

/** Returns the path of a model below the version of the API. */
export function modelPath(model: string): string {
  return /^(models|tunedModels)\//.test(model) ? model : `models/${model}`;
}

function streamUrl(address: string): string {
  const url = new URL(address);
  url.searchParams.append('alt', 'sse');
  return url.href;
}

const READER: Reader<ReplyAccumulator> = {
  start: startReply,
  take: takeChunk,
  isFinished,
  isOver: () => false,
  finish: finishReply,
  writeEnding: ({ finishReason }: Ending) => ({ candidates: [{ content: { parts: [] }, finishReason }] }),
  failureOf: classifyErrorObject,
  noun: 'generateContent response',
};

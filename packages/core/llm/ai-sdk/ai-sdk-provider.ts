import { ProviderFailed } from '../../failure.ts';
import { isRecord } from '../../json.ts';
import type { Reply } from '../../turn/reply.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { type Asked, nameFailure } from '../errors/name-failure.ts';
import { replyOf } from '../errors/reply-of-refusal.ts';
import type { Post } from '../http/http-client.ts';
import { type HeadersByName, secretsIn } from '../http/merge-headers.ts';
import { type Delta, fullCapabilities, type Provider, type RoundRequest } from '../provider.ts';
import { refusesState, withoutState } from '../refusals/without-state.ts';
import type { MakePackage } from './package/load-packages.ts';
import { makeFetch } from './package/make-fetch.ts';
import { makePackage, type PackageModel } from './package/package-model.ts';
import { classifyError, endingOfError } from './reply/classify-error.ts';
import { finishEnded, finishReply } from './reply/finish-reply.ts';
import { StreamFailed, type StreamPart, startReply, takePart } from './reply/reply-accumulator.ts';
import { inEarlierVersion } from './request/earlier-version.ts';
import { partFilter } from './request/render-parts.ts';
import { renderRequest } from './request/render-request.ts';

export type AiSdkOptions = {
  name: string;
  /** The package's function that makes a provider, with its options. */
  make: MakePackage;
  options: Record<string, unknown>;
  /** The operator's headers. */
  headers?: HeadersByName;
  post: Post;
  /** Sends requests without a text body. Node's `fetch` by default. */
  fetch?: typeof globalThis.fetch;
  /** The variables that packages read keys from. Their values are redacted. */
  env?: Record<string, string | undefined>;
};

/** Asks a model of a package of the AI SDK in one streaming call. Options that cannot work are a `Misconfigured`. */
export function aiSdkProvider({ name, make, options, headers, post, fetch, env = {} }: AiSdkOptions): Provider {
  const created = makePackage(name, make, { ...options, fetch: makeFetch(post, fetch) });
  const hide = hideOptions(options, env);
  const keyName = `PAWL_PROVIDERS.${name}.options, or the variables that the package reads`;
  const urlName = `PAWL_PROVIDERS.${name}.options`;
  const named = { provider: name, secrets: secretsIn(headers), keyName, urlName };
  return {
    name,
    capabilities: fullCapabilities('ai-sdk'),
    ...(created.version === 'v4' ? {} : { reasoningEfforts: [] }),
    ask(request, signal, onDelta) {
      const asked: Asked = { ...named, model: request.model };
      const call: Call = { asked, headers, signal, onDelta, hasBegun: false, notes: new Set() };
      const answer = async (asking: RoundRequest): Promise<Reply> => {
        try {
          const model = created.modelOf(request.model);
          if (!model)
            throw nameFailure('provider_model_not_found', {
              ...asked,
              reason: 'its interface version is not supported',
            });
          return await readReply(await openStream(model, asking, call), call);
        } catch (error) {
          signal.throwIfAborted();
          return answerError(error, call, hide);
        }
      };
      return nameBreakages(asked, signal, async () => {
        try {
          return await answer(request);
        } catch (failure) {
          if (call.hasBegun || !refusesState(failure, request, name)) throw failure;
          return { ...(await answer(withoutState(request))), leftStateOut: true };
        }
      });
    },
  };
}

/** Returns the reply that a package reports as an error before the stream. Throws any other error. */
function answerError(error: unknown, { asked, hasBegun }: Call, hide: (text: string) => string): Reply {
  if (error instanceof ProviderFailed) throw error;
  const ending = hasBegun ? null : endingOfError(error);
  if (ending) return replyOf(ending);
  throw classifyError(error, { asked, hide, hasBegun });
}

type Call = {
  asked: Asked;
  headers: HeadersByName | undefined;
  signal: AbortSignal;
  onDelta: (delta: Delta) => void;
  /** Whether the stream was opened. A failure after that is a broken stream. */
  hasBegun: boolean;
  /** Sentences about parts of the history that the model did not receive. */
  notes: Set<string>;
};

async function openStream(model: PackageModel, request: RoundRequest, call: Call): Promise<ReadableStream<StreamPart>> {
  const { asked, headers, signal, notes } = call;
  const mayShow = partFilter(await model.supportedUrls, (what) =>
    notes.add(`${asked.provider}: ${what} by address is not supported by this model and was replaced by a note`),
  );
  if (request.parallelToolCalls === false && request.tools.length > 0) {
    notes.add(`${asked.provider}: parallel_tool_calls was not sent. Set it in provider_options for packages`);
  }
  const options = { ...renderRequest(request, { provider: asked.provider, headers, mayShow }), abortSignal: signal };
  const { stream } =
    model.specificationVersion === 'v4'
      ? await model.doStream(options)
      : await model.doStream(inEarlierVersion(options));
  call.hasBegun = true;
  return stream;
}

async function readReply(stream: ReadableStream<StreamPart>, { asked, signal, onDelta, notes }: Call): Promise<Reply> {
  const reply = startReply(asked.provider);
  for (const note of notes) reply.warnings.add(note);
  try {
    for await (const part of stream) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      for (const delta of takePart(reply, part)) onDelta(delta);
    }
  } catch (error) {
    const ending = error instanceof StreamFailed ? endingOfError(error) : null;
    if (ending) return finishEnded(reply, ending);
    if (!reply.finish || !costsNothing(error)) throw error;
  }
  signal.throwIfAborted();
  return finishReply(reply);
}

/** Shorter values are words or numbers that sentences may contain. */
const SHORTEST = 8;

/** The names of variables from which packages read keys. */
const SECRET = /key|token|secret|password|credential/i;

/** Redacts the options of a package, except URLs, and variables with a name of secrets in a text. */
export function hideOptions(options: unknown, env: Record<string, string | undefined>): (text: string) => string {
  const variables = Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) && value ? [value.trim()] : []));
  const all = [...textsIn(options).filter((text) => !/^https?:/.test(text)), ...variables];
  // Longer secrets are first, since they may contain shorter secrets.
  const hidden = all.filter(({ length }) => length >= SHORTEST).toSorted((one, other) => other.length - one.length);
  return (text) => hidden.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isRecord(value) ? Object.values(value).flatMap(textsIn) : [];
}

import type { Reply } from '../../turn/reply.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '../errors/classify-refusal.ts';
import type { Asked } from '../errors/name-failure.ts';
import { type Ending, replyOfRefusal } from '../errors/reply-of-refusal.ts';
import { exhaustedField } from '../http/exhausted-field.ts';
import { eventsOf, type OpenedReply, openReply, type Refusal } from '../http/open-reply.ts';
import { askedOf, listServerModels, type OpenaiServer, postsTo } from '../http/openai-server.ts';
import type { Delta, Provider } from '../provider.ts';
import { type Outcome, readOutcome } from '../refusals/ask-again.ts';
import { readValues } from '../reply/read-values.ts';
import { requireFinished } from '../reply/require-finished.ts';
import { rememberQuirks } from './remember-quirks.ts';
import { type Quirks, renderRequest } from './render-request.ts';
import { type Answering, finishReply, isFinished, startReply, takeChunk } from './reply-accumulator.ts';

export type OpenaiOptions = Partial<Quirks> & OpenaiServer;

/**
 * Asks a server that speaks OpenAI's Chat Completions. No retries, no bounds on its time. One call, unless the server
 * refuses something that Pawl chose itself.
 */
export function openaiProvider(options: OpenaiOptions): Provider {
  const { name, post } = options;
  const server = askedOf(options);
  const postOf = postsTo(options, '/chat/completions');
  // Most servers know `max_tokens` only, and OpenAI's newer models refuse it.
  const { maxTokensField = 'max_tokens', streamOptions = true, cacheKey = false, roles = 'any' } = options;
  const askByQuirks = rememberQuirks(name, { maxTokensField, streamOptions, cacheKey, roles, ...AS_CONFIGURED });
  return {
    name,
    ...(cacheKey ? { takesCacheKey: true } : {}),
    listModels: (signal) => listServerModels(options, signal),
    capabilities: {
      wire: 'openai',
      streaming: true,
      tools: true,
      parallel_tool_calls: true,
      thinking: true,
      structured_outputs: true,
    },
    ask(request, signal, onDelta) {
      const asked = { ...server, model: request.model };
      const toolNames = request.tools.map((tool) => tool.name);
      const answering = { provider: name, toolNames, ownWords: options.finishReasons };
      return nameBreakages(asked, signal, () =>
        askByQuirks(request, async (quirks) => {
          const body = renderRequest(request, { provider: name, ...quirks });
          const posted = await postOf({ request, body });
          const opened = await openReply(post, { ...posted, signal });
          if (opened.kind === 'refused') return outcomeOf(opened, asked);
          return await readOutcome(onDelta, (watched) =>
            readReply(opened, { ...answering, asked, signal, onDelta: watched }),
          );
        }),
      );
    },
  };
}

/** The state of the history goes back as it came until a refusal teaches otherwise. */
const AS_CONFIGURED = { refusedState: [], filledState: [], isKept: true };

type Reading = Answering & { asked: Asked; signal: AbortSignal; onDelta: (delta: Delta) => void };

async function readReply(opened: OpenedReply, { asked, signal, onDelta, ...answering }: Reading): Promise<Reply> {
  const reply = startReply(answering);
  const errors = { writeEnding, failureOf: (error: unknown) => classifyErrorObject(error, opened.headers, asked) };
  try {
    for await (const events of eventsOf(opened)) {
      signal.throwIfAborted();
      for (const event of events) {
        reply.isDone ||= event.data.trim() === '[DONE]';
        // One by one: a broken event costs nothing that came before it.
        const chunks = reply.isDone ? [] : readValues(event, errors);
        for (const delta of chunks.flatMap((chunk) => takeChunk(reply, chunk))) onDelta(delta);
      }
      if (reply.isDone) break;
    }
  } catch (error) {
    if (!isFinished(reply) || !costsNothing(error)) throw error;
  }
  signal.throwIfAborted();
  requireFinished(opened, isFinished(reply), { ...asked, reason: 'not a chat completion' });
  return { ...finishReply(reply), ...exhaustedField(opened.headers) };
}

/** Returns the reply that a server reports as a refusal. Any other refusal is a failure. */
function outcomeOf(refusal: Refusal, asked: Asked): Outcome {
  const reply = replyOfRefusal(refusal);
  return reply ? { kind: 'reply', reply } : { ...refusal, failure: classifyRefusal(refusal, asked) };
}

/** The end of a reply, in this wire's words. */
function writeEnding({ finishReason }: Ending) {
  return { choices: [{ index: 0, delta: {}, finish_reason: finishReason }] };
}

import { ProviderFailed } from '#core/failure.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import { timesField } from '#core/llm/round-request.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { cleanText } from '#core/text.ts';
import { MAX_SUMMARY_TOKENS, SUMMARY_INSTRUCTIONS, summaryPrompt } from '#core/turn/compaction/summary-prompt.ts';
import { noted } from '#core/turn/hosted/hosted-notes.ts';
import type { Message } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import { decideRetry, isSpent, maxAttemptsOf, nextModel, requestedPauseMs } from '#core/turn/retry.ts';
import type { Turn } from '#core/turn/turn.ts';
import { turnSpanId } from '../../process/trace/span-ids.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { RateLimited } from '../rate-limits.ts';
import { askModel, type Failed, failedWith } from './ask-model.ts';
import { pricedUsage } from './priced-usage.ts';
import { type NoRoom, takeRoom } from './take-room.ts';

/** A summary, or null if no model could write it, and the model that was asked. */
export type Summary = { model: string | null; summary: string | null; usage: Reply['usage']; requests: number };

type Question = { step: RoundStep; replaced: readonly Message[] };

/** A failed request for a summary. The round waits or fails, as if its own request had failed. */
export type Unsummarized = ({ run: Run } & NoRoom) | Failed;

/** `correct` corrects the booking of the request, after the summary is saved. */
type Summarized = { kind: 'summarized'; run: Run; written: Summary; correct?: () => Promise<void> };

/**
 * Asks for a summary of the messages that a compaction replaces, before a round. If the worker gives up the model
 * that is named for summaries, it asks the turn's own model. If neither model can write a summary, the summary is
 * null.
 */
export async function askSummary(
  run: Run,
  question: Question,
  context: WorkerContext,
): Promise<Summarized | Unsummarized> {
  const first = { ...question, ...firstWriter(run.turn, context) };
  const asked = await askWriter(run, first, context).catch(failedWith(run));
  if (asked.kind !== 'given-up') return asked;
  const next = { ...question, ...nextWriter(run.turn, asked.failure, context) };
  const askedNext = await askWriter(asked.run, next, context).catch(failedWith(asked.run));
  return askedNext.kind === 'given-up' ? failedWith(askedNext.run)(askedNext.failure) : askedNext;
}

/**
 * Returns a run without a summary: results are dropped instead. `model` is the model that gave no summary, if any.
 */
export function withoutSummary(run: Run, model: string | null = null): Summarized {
  return { kind: 'summarized', run, written: { model, summary: null, usage: null, requests: 0 } };
}

/** Returns whether the provider says that a request is longer than its model accepts. */
export function isTooLong(failure: unknown): boolean {
  return failure instanceof ProviderFailed && failure.code === 'context_length_exceeded';
}

/** A model to ask for a summary, and the number of the step's attempts that belong to another model. */
type SummaryWriter = { model: string; triedBefore: number };

/**
 * Returns the model that is named for summaries. Returns the turn's own model instead if its attempts are used up, or
 * if the rate limit lasts longer than a turn waits.
 */
function firstWriter({ config, work }: Turn, { rateLimits, fallbackAfterMs }: WorkerContext): SummaryWriter {
  const named = config.context?.model ?? work.model;
  const maxAttempts = maxAttemptsOf(config);
  if (named !== work.model && work.attempts >= maxAttempts) return { model: work.model, triedBefore: maxAttempts - 1 };
  return { model: rateLimits.waitMs(named) > fallbackAfterMs ? work.model : named, triedBefore: 0 };
}

/**
 * Returns the turn's own model, with all its attempts if the model that is named for summaries has used up its
 * attempts.
 */
function nextWriter({ work }: Turn, failure: ProviderFailed, { fallbackAfterMs }: WorkerContext): SummaryWriter {
  const isLeftAtOnce = isSpent({ failure, isOver: false, waitMs: 0 }, fallbackAfterMs);
  const isUsedUp = failure.retry.kind === 'later' && !isLeftAtOnce;
  return { model: work.model, triedBefore: isUsedUp ? work.attempts : 0 };
}

type Writing = Question & SummaryWriter;
type GivenUp = { kind: 'given-up'; run: Run; failure: ProviderFailed };

/** Asks one model. Returns `given-up` if the worker should ask the turn's own model instead. */
async function askWriter(
  run: Run,
  writing: Writing,
  context: WorkerContext,
): Promise<Summarized | Unsummarized | GivenUp> {
  const { model, triedBefore, replaced: messages } = writing;
  const failing = { model, triedBefore };
  if (!context.rateLimits.allows(model)) return { kind: 'failed', run, ...failing, failure: new RateLimited(model) };
  const room = await takeRoom(run, { model, messages, summaryTokens: MAX_SUMMARY_TOKENS }, context);
  if (room.kind === 'full') return { ...room, run };

  const asked = await requestSummary(run, writing, context);
  if (asked.kind === 'replied') {
    const correct = room.correctionOf(asked.reply, asked.run.requests - run.requests);
    const written = { ...summaryOf(asked.reply), model, usage: pricedUsage(asked.reply, model, context), requests: 1 };
    return { kind: 'summarized', run: asked.run, written, correct };
  }
  const { failure } = asked;
  if (run.lease.signal.aborted || !(failure instanceof ProviderFailed)) return asked;
  if (isTooLong(failure)) return withoutSummary(asked.run, model);
  const isOver = isModelSpent(run.turn, { ...failing, failure }, context);
  if (isOver && model !== run.turn.work.model) return { kind: 'given-up', run: asked.run, failure };
  const isEmpty = failure.code === 'provider_bad_response';
  if (isOver && isEmpty && nextModel(run.turn) === null) return withoutSummary(asked.run, model);
  return { ...asked, ...failing };
}

/** Asks once, on the ordinary tier of the model, without the tools, the sampling and the schema of the turn. */
function requestSummary(run: Run, writing: Writing, context: WorkerContext) {
  const { turn, lease } = run;
  const { model } = writing;
  const trace = context.tracer.headersWithin(turn, () => turnSpanId(turn));
  return askModel(
    run,
    {
      limit: model,
      ask: ({ permit, counted }) => {
        const caller = settleEmpty(counted(context.providers.ofModel(model, turn.config.wires)));
        return caller.ask({ ...summaryRequest(turn, writing), trace }, lease.signal, () => permit.answered());
      },
    },
    context,
  );
}

/** Returns the summary in a reply. A refusal is not a summary, but a reply that was cut off is. */
function summaryOf({ text, finishReason }: Reply): Pick<Summary, 'summary'> {
  const isRefused = finishReason === 'refusal' || finishReason === 'content_filter';
  return { summary: isRefused ? null : cleanText(text ?? '').trim() || null };
}

/**
 * Returns whether the worker gives up a model, by the rules of a round and the wait that the model's limit requires.
 */
function isModelSpent(
  turn: Turn,
  { failure, model, triedBefore }: SummaryWriter & { failure: ProviderFailed },
  context: WorkerContext,
): boolean {
  const { rateLimits, fallbackAfterMs } = context;
  const isLimited = failure.retry.kind === 'rate-limited';
  if (isLimited) rateLimits.refused(model, requestedPauseMs(failure.retry));
  const waitMs = isLimited ? rateLimits.waitMs(model) : 0;
  const spent = { ...turn.work, attempts: turn.work.attempts - triedBefore };
  const bounds = { pauseMs: waitMs, maxAttempts: maxAttemptsOf(turn.config) };
  const isOver = decideRetry(failure.retry, spent, bounds).kind === 'fail';
  return isSpent({ failure, isOver, waitMs }, fallbackAfterMs);
}

/** Returns a request with one message, which any model of any wire accepts. */
function summaryRequest({ id, config, work }: Turn, { step, model, replaced }: Writing): RoundRequest {
  const read = replaced.map((message) => (message.role === 'assistant' ? noted(message) : message));
  const content = summaryPrompt(read, config.context?.max_input_tokens ?? null);
  return {
    round: step.round,
    model: splitModel(model).model,
    instructions: SUMMARY_INSTRUCTIONS,
    messages: [{ role: 'user', content }],
    ...{ tools: [], declaredTools: null, mayCall: false },
    ...{ toolChoice: 'auto', turnChoice: 'auto', parallelToolCalls: null },
    ...{ temperature: null, topP: null, reasoningEffort: null, reasoningSummary: null, verbosity: null },
    ...{ stop: null, seed: null, textFormat: null },
    maxOutputTokens: MAX_SUMMARY_TOKENS,
    ...{ promptCache: null, serviceTier: null },
    providerOptions: {},
    ...timesField(config),
    requestId: `${id}.${step.round}.${work.generation}s`,
  };
}

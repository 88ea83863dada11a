import { withKnownTtl } from '#core/llm/caching.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { Delta, RoundRequest } from '#core/llm/provider.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import type { Message } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import { isBatched, lateInMs } from '#core/turn/tiers/change-tier.ts';
import { promptContent } from '../../process/trace/content.ts';
import { chatSpanId } from '../../process/trace/span-ids.ts';
import type { RequestedParameters } from '../../process/trace/turn-spans.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { rateLimitOf } from '../rate-limits.ts';
import type { InFlight } from '../watchers.ts';
import { type Asked, askModel } from './ask-model.ts';
import { type PublishingRun, publishRound, type RoundPublisher } from './publish-round.ts';

type Question = { step: RoundStep; messages: Message[] };

/** The notes of a running request, which the run receives once the request has ended. */
type Progress = PublishingRun & {
  startedAt: number;
  firstChunkAt: number | null;
  sent: RequestedParameters | null;
  asked: RoundRequest | null;
};

/** Requests the reply for a round, and publishes it while it streams. Never throws: a failure is a result. */
export async function requestReply(
  run: Run,
  question: Question,
  context: WorkerContext,
): Promise<Asked & { startedAt: number }> {
  const { lease, turn } = run;
  const progress: Progress = {
    ...{ lease, published: run.published, startedAt: startOf(run) },
    ...{ firstChunkAt: null, sent: null, asked: null },
  };
  const ask: Parameters<typeof askModel>[1]['ask'] = (by) =>
    streamReply(run, { ...question, ...by, progress }, context);
  const isFree = isBatched(turn) || Boolean(run.responses?.awaited());
  const came = await askModel(run, { limit: rateLimitOf(turn), isFree, ask }, context);
  const { published, startedAt, firstChunkAt, sent, asked } = progress;
  const repliedAt = came.kind === 'replied' ? Date.now() : null;
  const attempt = {
    round: question.step.round,
    model: turn.work.model,
    startedAt,
    firstChunkAt,
    repliedAt,
    sent,
    // Not the request itself, since its share of the memory is released before the round is reported.
    prompt: asked && promptContent(asked, context.redact),
  };
  return { ...came, startedAt, run: { ...came.run, published, attempt } };
}

/** Returns the start of a request, in milliseconds since 1970. A request in a batch has started when it entered. */
function startOf({ responses }: Run): number {
  const awaited = responses?.awaited();
  return Math.round(Date.now() - (awaited?.isBatch ? awaited.ageMs : 0));
}

type Asking = Question & Parameters<Parameters<typeof askModel>[1]['ask']>[0] & { progress: Progress };

async function streamReply(
  run: Run,
  { step, messages, permit, counted, progress }: Asking,
  context: WorkerContext,
): Promise<Reply> {
  const { turn } = run;
  const { watchers, providers, tracer } = context;
  const { round } = step;
  using late = untilLate(run);
  using responses = run.responses?.forReply(late.signal) ?? null;
  const trace = tracer.headersWithin(turn, () => chatSpanId(turn, { round, startedAt: progress.startedAt }));
  const provider = providers.ofModel(turn.work.model, turn.config.wires);
  const { request, warnings } = withKnownTtl(
    { ...roundRequest(turn, step, messages), trace, ...responses?.asked },
    provider,
  );
  const { maxOutputTokens, temperature, topP } = request;
  progress.sent = { maxOutputTokens, temperature, topP, ...(provider.server && { server: provider.server }) };
  if (tracer.withContent) progress.asked = request;

  const address = { turn_id: turn.id, round, attempt: turn.work.generation + 1 };
  using publisher = publishRound(watchers, address, progress);
  using _inFlight = watchers.trackInFlight(turn.id, leasedFor(run, publisher, context));
  const dialect = chooseDialect(turn.config.tool_mode, counted(provider));
  const { signal } = responses ?? late;
  const answered: Delta[] = [];
  const reply = await dialect.ask(request, signal, (delta) => {
    if (request.exchange) return void answered.push(delta);
    permit.answered();
    progress.firstChunkAt ??= Date.now();
    publisher.take(delta);
  });
  // Streams show a round by batch as a whole, and not the beginning of a paused reply.
  for (const delta of answered) publisher.take(delta);
  const warned = warnings.length > 0 ? { warnings: [...(reply.warnings ?? []), ...warnings] } : {};
  return { ...reply, ...warned, reasoning: reply.reasoning ?? publisher.reasoning() };
}

/** The deadline of the turn is near, so the worker ends a request on `flex`. */
export class TierLate extends Error {}

/**
 * Returns the signal of a run, which also ends a request on `flex` once the round has to leave the tier. The answer to
 * a request in a batch is only read.
 */
function untilLate({ turn, lease, responses }: Run): Disposable & { signal: AbortSignal } {
  const { signal } = lease;
  const inMs = responses?.awaited()?.isBatch ? Number.POSITIVE_INFINITY : lateInMs(turn) - lease.ageMs();
  if (inMs > LONGEST_TIMER_MS) return { signal, [Symbol.dispose]: () => {} };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new TierLate()), inMs);
  return { signal: AbortSignal.any([signal, late.signal]), [Symbol.dispose]: () => clearTimeout(timer) };
}

/** The maximum of a Node timer. No request lasts that long. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Takes the lease for a run that started without a lease, once a client watches the turn. Before that, the run
 * publishes no piece. If this fails, the run takes the lease with the next heartbeat.
 */
function leasedFor({ lease }: Run, { catchUp }: RoundPublisher, context: WorkerContext): InFlight {
  const { heartbeat, watchers, availability } = context;
  const take = () => void heartbeat.take(lease).catch((error: unknown) => availability.suspect(error));
  if (watchers.isWatched(lease.turnId)) take();
  return {
    catchUp: () => {
      catchUp();
      take();
    },
  };
}

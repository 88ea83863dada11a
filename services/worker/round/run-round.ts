import { loadHistory } from '#core/checkpoint/turns/reading/history.ts';
import { ProviderFailed } from '#core/failure.ts';
import { declareTools } from '#core/llm/declare-tools.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import type { RoundRequest } from '#core/llm/provider.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { sentHistory } from '#core/turn/compaction/sent-history.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import type { Message } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import { formatOf, needsRepair, withSchema } from '#core/turn/output/output-schema.ts';
import { leftOutputTokens } from '#core/turn/reached-limit.ts';
import type { Reply } from '#core/turn/reply.ts';
import { showsReasoning } from '#core/turn/responses/output-item.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { stopRun } from '../lease/stop-run.ts';
import type { Permit } from '../rate-limits.ts';
import type { InFlight } from '../watchers.ts';
import { commitRound } from './commit-round.ts';
import { compactLine, type Earlier, isTooLong, lineOf } from './compact-line.ts';
import { publishRound, type RoundPublisher } from './publish-round.ts';
import { recordRequests } from './record-requests.ts';
import { postponeRound, retryRound } from './retry-round.ts';

/** Requests one reply of the model and checkpoints it. A redelivered job finds its checkpoint and moves on. */
export async function runRound(run: Run, step: RoundStep, context: WorkerContext): Promise<Wakeup[]> {
  const { turn } = run;
  const log = context.log.child({ turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 });
  if (!context.rateLimits.allows(turn.work.model)) return postponeRound(run, { step }, context);
  log.info({ event: 'round.started' }, `round ${step.round} starting`);

  try {
    const earlier = turn.position > 1 ? await loadHistory(context.db, turn.conversationId, turn.position) : [];
    const compacted = await compactLine(run, { step, earlier, because: 'size' }, context);
    return compacted.kind === 'left' ? compacted.wakeups : await askUntilItFits(run, { step, earlier }, context);
  } catch (failure) {
    if (run.signal.aborted) return stopRun(run, context);
    if (failure instanceof ProviderFailed) return retryRound(run, { step, failure }, context);
    throw failure;
  }
}

/** What a round asks with, beside its own turn. */
type Question = { step: RoundStep; earlier: Earlier };

/** Once the provider has refused the history as too long it is compacted, where the turn allows that, and asked once more. */
async function askUntilItFits(run: Run, question: Question, context: WorkerContext): Promise<Wakeup[]> {
  try {
    return await askRound(run, question, context);
  } catch (failure) {
    if (!isTooLong(failure)) throw failure;
    const compacted = await compactLine(run, { ...question, because: 'refused' }, context);
    if (compacted.kind === 'left') return compacted.wakeups;
    if (compacted.kind === 'same') throw failure;
    return await askRound(run, question, context);
  }
}

async function askRound(run: Run, question: Question, context: WorkerContext): Promise<Wakeup[]> {
  using permit = context.rateLimits.acquire(run.turn.work.model);
  const startedAt = Date.now();
  const reply = await requestReply(run, { ...question, permit }, context);
  permit.answered();
  return await commitRound(run, { step: question.step, reply, startedAt }, context);
}

async function requestReply(
  run: Run,
  { step, earlier, permit }: Question & { permit: Permit },
  context: WorkerContext,
): Promise<Reply> {
  const { turn, signal } = run;
  const { watchers, providers, tracer, blobCache } = context;
  const { model } = turn.work;
  const messages = await blobCache.fill(turn.project, transcriptOf(sentHistory(lineOf(run, earlier))));
  const request = roundRequest(turn, step, messages);

  const address = { turn_id: turn.id, round: step.round, attempt: turn.work.generation + 1 };
  using publisher = publishRound(watchers, address, run);
  using _inFlight = watchers.trackInFlight(turn.id, leasedFor(run, publisher, context));
  const provider = providers.find(splitModel(model).provider);
  const dialect = chooseDialect(turn.config.tool_mode, recordRequests(provider, { run, step, model, tracer }));
  const reply = await dialect.ask(request, signal, (delta) => {
    permit.answered();
    publisher.take(delta);
  });
  return { ...reply, reasoning: reply.reasoning ?? publisher.reasoning() };
}

/**
 * A run that started without a lease takes it once a client watches the turn: it may tell nothing until then. Where that
 * fails, it takes it with the next heartbeat.
 */
function leasedFor(
  run: Run,
  { catchUp }: RoundPublisher,
  { heartbeat, watchers, availability }: WorkerContext,
): InFlight {
  const take = () => void heartbeat.take(run).catch((error: unknown) => availability.suspect(error));
  if (watchers.isWatched(run.turn.id)) take();
  return {
    catchUp: () => {
      catchUp();
      take();
    },
  };
}

/** What the request bounds each round to, or all of them together, whichever is less now. */
function mostOutputTokens(turn: Pick<Turn, 'config' | 'rounds'>): number | null {
  const [ofRound, left] = [turn.config.max_output_tokens, leftOutputTokens(turn)];
  return ofRound === null || left === null ? (ofRound ?? left) : Math.min(ofRound, left);
}

/** `provider_options` are in the words of the provider that was asked for: no other one gets them. */
function isOwnProvider({ config, work }: Pick<Turn, 'config' | 'work'>): boolean {
  return splitModel(config.model).provider === splitModel(work.model).provider;
}

/**
 * The request of one round. A required tool is required in the first round only; a final round offers none, nor does
 * a repair (contract: Turn request).
 */
export function roundRequest(
  { id, config, rounds, work }: Turn,
  { round, final }: RoundStep,
  messages: Message[],
): RoundRequest {
  const { tool_choice: choice } = config;
  return {
    round,
    model: splitModel(work.model).model,
    instructions: withSchema(config),
    messages,
    tools: final || needsRepair({ rounds }) ? [] : config.tools,
    declaredTools: declareTools(config.tools, messages),
    toolChoice: round === 1 || choice === 'none' ? choice : 'auto',
    parallelToolCalls: config.parallel_tool_calls,
    temperature: config.temperature,
    topP: config.top_p ?? null,
    reasoningEffort: config.reasoning_effort ?? null,
    showsReasoning: showsReasoning({ config }),
    verbosity: config.verbosity ?? null,
    stop: config.stop ?? null,
    seed: config.seed ?? null,
    textFormat: config.text_format ?? formatOf(config),
    maxOutputTokens: mostOutputTokens({ config, rounds }),
    providerOptions: isOwnProvider({ config, work }) ? config.provider_options : {},
    requestId: `${id}.${round}.${work.generation}`,
  };
}

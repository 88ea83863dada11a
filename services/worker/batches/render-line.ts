import type { BatchRequest } from '#core/checkpoint/batches/read-requests.ts';
import { ProviderFailed } from '#core/failure.ts';
import type { Exchange } from '#core/llm/batches/batch-server.ts';
import { NotAnswered } from '#core/llm/batches/replay-answers.ts';
import { withKnownTtl } from '#core/llm/caching.ts';
import { chooseDialect } from '#core/llm/dialects/choose-dialect.ts';
import { roundRequest } from '#core/llm/round-request.ts';
import type { BatchAnswer } from '#core/turn/batches/batch-answer.ts';
import { sentHistory } from '#core/turn/compaction/sent-history.ts';
import { transcriptOf } from '#core/turn/history/transcript.ts';
import { nextStep } from '#core/turn/next-step.ts';
import type { WorkerContext } from '../context.ts';
import { newRunId, openLease, type Run, startRun } from '../lease/run.ts';
import { HistoryTooLarge, MemoryBusy } from '../memory/memory.ts';
import { openWithoutSlot } from '../memory/open-turn.ts';
import { withResponses } from '../round/background/with-responses.ts';
import { exchangeOf } from '../round/batched/open-answers.ts';
import { openHistory, threadOf } from '../round/open-history.ts';

/**
 * A request as it would be sent now. `gone`: no round waits for it any more. `left`: the memory has no room for its
 * history now. `failed`: it cannot be rendered, so its round gets `answer`.
 */
export type RenderedLine =
  | { kind: 'line'; body: object }
  | { kind: 'gone' | 'left' }
  | { kind: 'failed'; answer: BatchAnswer };

/** Renders a request of a batch from the history of its turn, as the round would send it (R29, R43). */
export async function renderLine(request: BatchRequest, context: WorkerContext): Promise<RenderedLine> {
  if (!request.isAwaited) return { kind: 'gone' };
  using opened = await openWithoutSlot(request.turnId, context);
  if (!opened) return { kind: 'left' };
  const { work } = opened.turn;
  const ids = work.background?.responses ?? [];
  if (work.step !== request.step || work.model !== request.model || ids.at(-1) !== request.id) return { kind: 'gone' };
  using lease = openLease(newRunId(), opened.turn);
  const run = withResponses(startRun(lease, opened), context);
  try {
    await askRound(run, exchangeOf(run, ids.slice(0, -1), context), context);
  } catch (error) {
    if (error instanceof NotAnswered) return { kind: 'line', body: error.body };
    if (error instanceof MemoryBusy) return { kind: 'left' };
    if (error instanceof ProviderFailed) return { kind: 'failed', answer: refusedAnswer(error) };
    throw error;
  }
  return { kind: 'gone' };
}

/** Returns the answer to a request that is refused for good. */
export function refusedAnswer({ code, message, provider }: ProviderFailed): BatchAnswer {
  return { kind: 'refused', code, message, provider };
}

/** Asks for the reply of a round, which `exchange` has no answer for. */
async function askRound(run: Run, exchange: Exchange, context: WorkerContext): Promise<void> {
  const { turn, lease } = run;
  const { memory, providers, blobCache } = context;
  const step = nextStep(turn);
  if (step.kind !== 'run-round') return;
  using history = await openHistory(run, context);
  if (run.isShortened || history.isShortened) throw new HistoryTooLarge(memory.most);
  const messages = transcriptOf(sentHistory(threadOf(turn, history.earlier)));
  using filled = await blobCache.fill(turn.project, messages);
  const provider = providers.ofModel(turn.work.model, turn.config.wires);
  const { request } = withKnownTtl({ ...roundRequest(turn, step, filled.messages), exchange }, provider);
  await chooseDialect(turn.config.tool_mode, provider).ask(request, lease.signal, () => {});
}

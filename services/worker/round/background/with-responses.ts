import { saveResponse } from '#core/checkpoint/background/save-response.ts';
import { StillRunning } from '#core/llm/interrupted.ts';
import type { Providers } from '#core/llm/providers.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { withInputs } from '#core/turn/inputs/joined-input.ts';
import { isBatched } from '#core/turn/tiers/change-tier.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../../context.ts';
import type { Run } from '../../lease/run.ts';
import { writeCheckpoint } from '../../write-checkpoint.ts';
import { openAnswers } from '../batched/open-answers.ts';
import { delayedSignal } from './delayed-signal.ts';
import type { RoundResponses } from './round-responses.ts';

/** Returns the run with the responses of its round, and with the inputs that the awaited responses have received. */
export function withResponses(run: Run, context: WorkerContext): Run {
  const { background } = run.turn.work;
  const turn = background ? withInputs(run.turn, background.inputs) : run.turn;
  const behind = { ...run, turn, isBehind: turn !== run.turn };
  return { ...behind, responses: openAnswers(behind, context) ?? openResponses(behind, context) };
}

/**
 * Returns the responses of a run's round, or null if the round is not asked in the background. The run follows the
 * awaited responses. It creates a new response only under a lease that it is sure of (R40).
 */
function openResponses(run: Run, context: WorkerContext): RoundResponses | null {
  const { turn, lease } = run;
  const { model, background: loaded } = turn.work;
  if (!isInBackground(turn, context.providers)) return null;
  const kept = context.providers.ofModel(model, turn.config.wires).responses;
  if (!kept) return null;
  const polls = loaded?.polls ?? 0;
  const known = { inputs: turn.joined.length, polls, isBatch: false };
  let ids: readonly string[] = loaded?.responses ?? [];
  let since = performance.now() - (loaded?.ageMs ?? 0) - lease.ageMs();
  return {
    kept,
    awaited: () => (ids.length === 0 ? null : { responses: [...ids], ...known, ageMs: performance.now() - since }),
    forget: () => {
      ids = [];
    },
    forReply(callers) {
      const delayed = delayedSignal(callers);
      const limit = limitTimer(context.backgroundTimes.timeoutMs, delayed.end);
      let requests = 0;
      const background = {
        isStored: kept.isStored && turn.stored,
        isPolled: polls > 0,
        known: () => {
          const id = ids[requests++] ?? null;
          if (id !== null) limit.start(performance.now() - since);
          return id;
        },
        create: async () => {
          await confirmLease(run, context);
          callers.throwIfAborted();
          delayed.hold();
        },
        commit: async (id: string) => {
          ids = [...ids.slice(0, requests - 1), id];
          since = performance.now();
          await commitResponses(run, ids, context).finally(delayed.release);
          limit.start(0);
        },
      };
      return {
        asked: { background },
        signal: delayed.signal,
        [Symbol.dispose]: () => {
          limit[Symbol.dispose]();
          delayed[Symbol.dispose]();
        },
      };
    },
  };
}

/** Ends a reply that follows a response for longer than the response may take. The round then decides what to do. */
function limitTimer(mostMs: number, end: (reason: unknown) => void): Disposable & { start(ageMs: number): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    start: (ageMs) => {
      clearTimeout(timer);
      const running = new StillRunning({ isQueued: false, pollAfterMs: null });
      timer = setTimeout(() => end(running), Math.max(0, mostMs - ageMs));
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

function confirmLease({ lease, turn }: Run, context: WorkerContext): Promise<void> {
  const write = { verb: 'renewLeases', turnId: turn.id };
  return writeCheckpoint(context, write, () => context.heartbeat.confirm(lease));
}

/** Commits the responses of a round, the last of which is new. Stops a run that has lost its step. */
async function commitResponses(
  { turn, lease }: Run,
  responses: readonly string[],
  context: Pick<WorkerContext, 'db' | 'log' | 'heldWrites'>,
): Promise<void> {
  const { model, step } = turn.work;
  const { provider } = splitModel(model);
  const round = { turnId: turn.id, project: turn.project, step, model, runId: lease.id, inputs: turn.joined.length };
  const response = { ...round, provider, responseId: responses.at(-1) ?? '', responses };
  const write = { verb: 'saveResponse', turnId: turn.id };
  if (await writeCheckpoint(context, write, () => saveResponse(context.db, response))) return;
  lease.stop('lost');
  throw lease.signal.reason;
}

/**
 * Returns whether the round of a turn is asked in the background, or waits for a response. The caller's own option
 * overrides the setting of the provider.
 */
export function isInBackground(turn: Turn, providers: Providers): boolean {
  const { work, config } = turn;
  if (isBatched(turn)) return false;
  if (work.background) return true;
  const { provider: name, model } = splitModel(work.model);
  const isOwn = splitModel(config.model).provider === name;
  const wanted = isOwn ? config.provider_options.background : undefined;
  if (!providers.has(name) || wanted === false) return false;
  const { responses } = providers.ofModel(work.model, config.wires);
  return responses !== undefined && (wanted === true || responses.isUsedFor(model));
}

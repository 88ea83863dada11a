import { findHashes } from '#core/checkpoint/blobs.ts';
import { findConversation } from '#core/checkpoint/conversations.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { copyAdoptedCalls } from '#core/checkpoint/turns/adopt-calls.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import {
  conversationOf,
  findLastBegun,
  hasActiveBefore,
  lockConversation,
} from '#core/checkpoint/turns/reading/thread.ts';
import { RequestRefused } from '#core/failure.ts';
import { type ForkPlace, type ForkPlan, planFork } from '#core/turn/forks/plan-fork.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { type Started, startConversation, type TurnStart } from '../../../start/start-turn.ts';
import { keepTaken } from '../../../start/take-parts.ts';
import { turnNotFound } from '../../http/find-own.ts';

/**
 * A fork to start. `start` is its first turn, and `standing` is the configuration that later turns of its
 * conversation inherit.
 */
export type ForkStart = {
  originId: string;
  asked: ForkPlace;
  standing: StandingConfig;
  start: TurnStart;
};

/** Records a fork and its first turn. Its base is determined under the lock of the original conversation (R37). */
export async function startFork(trx: Trx, { originId, asked, standing, start }: ForkStart): Promise<Started> {
  const origin = await lockOrigin(trx, start.project, originId);
  await refuseActiveBefore(trx, origin);
  const { afterRound, upToRound: round } = planned(origin, asked);
  const config = { ...start.config, origin: { kind: 'fork' as const, turnId: origin.id, afterRound } };
  const forkedFrom = { turnId: origin.id, position: origin.position, round };
  const conversation = { config: standing, metadata: {}, begunByTurn: true, forkedFrom };
  const started = await startConversation(trx, { ...start, config }, conversation);
  await keepTaken(trx, { project: start.project, turnId: started.turn.id, taken: start.taken });
  return started;
}

/** A turn to run again. `start` has its configuration, its key and its trace. */
export type RerunStart = Pick<ForkStart, 'originId' | 'standing'> & {
  toolResults: 'reuse' | 'run';
  start: Omit<TurnStart, 'taken'>;
};

/**
 * Records a turn with the input of an ended turn, including input that joined that turn. The new conversation has the
 * same history. The calls that its input allowed keep their results, because an approval is used by a single turn.
 */
export async function startRerun(trx: Trx, { originId, toolResults, standing, start }: RerunStart): Promise<Started> {
  const { project } = start;
  const origin = await lockOrigin(trx, project, originId);
  refuseActive(origin);
  const forkedFrom = await placeOfRerun(trx, origin);
  const config = { ...start.config, origin: { kind: 'rerun' as const, turnId: origin.id, toolResults } };
  const joined = [...origin.rounds.flatMap((round) => round.input), ...origin.pendingInput];
  const taken = { input: [...origin.input, ...joined], hashes: await findHashes(trx, origin.id), blobs: [] };
  const started = await startConversation(
    trx,
    { ...start, config, taken },
    { config: standing, metadata: {}, begunByTurn: true, ...(forkedFrom && { forkedFrom }) },
  );
  const turnId = started.turn.id;
  await keepTaken(trx, { project, turnId, taken });
  if (origin.adopted.length > 0) await copyAdoptedCalls(trx, { turnId, originId });
  return started;
}

type Place = { turnId: string; position: number; round?: number };

/**
 * Returns the base of a rerun. A turn that ended before its start time has no position in its conversation: its rerun
 * is based on the turns that had started when it was requested. Undefined if there was none.
 */
async function placeOfRerun(trx: Trx, origin: Turn): Promise<Place | undefined> {
  const { conversationId } = origin;
  if (!origin.work.delayed) {
    await refuseActiveBefore(trx, origin);
    planned(origin, { afterRound: 0, hasInput: true });
    return { turnId: origin.id, position: origin.position, round: -1 };
  }
  const last = await findLastBegun(trx, origin);
  if (last) await refuseActiveBefore(trx, { conversationId, position: last.position + 1 });
  const conversation = last ? undefined : await findConversation(trx, origin.project, conversationId);
  // The origin of its conversation belongs to another conversation, which is not locked.
  if (conversation?.forkedFrom) planned(origin, { afterRound: 0, hasInput: true });
  return last;
}

/** Refuses to rerun a turn that has not ended. */
export function refuseActive({ status }: Turn): void {
  if (isTerminal(status)) return;
  const message = 'The turn is still active. Wait for it or cancel it, then run it again.';
  throw new RequestRefused(409, 'turn_active', message);
}

/** Returns the plan of a fork, or the refusal of a fork without a base. */
export function planned(turn: Turn, asked: ForkPlace): Extract<ForkPlan, { kind: 'planned' }> {
  const plan = planFork(turn, asked);
  switch (plan.kind) {
    case 'planned':
      return plan;
    case 'not-begun':
      throw notFinished('The turn has not started, so it cannot be run again. Wait until a worker has started it.');
    case 'never-begun':
      throw notFinished(
        'The turn was cancelled before its start time, so it cannot be run again. Start a turn with its input.',
      );
    case 'not-finished':
      throw notFinished(
        `Round ${asked.afterRound ?? 0} of the turn does not exist, or some of its calls have no answer ` +
          'yet. Wait for the round, or fork after an earlier round.',
      );
    case 'input-required': {
      const message =
        `Round ${asked.afterRound ?? turn.rounds.length} was the answer, so the model has no more work. ` +
        'Give an input, or fork after an earlier round.';
      throw new RequestRefused(400, 'input_required', message, 'input');
    }
  }
}

/** Loads a turn of the project with its history. No other process changes or deletes them until the commit. */
async function lockOrigin(trx: Trx, project: string, turnId: string): Promise<Turn> {
  const conversationId = await conversationOf(trx, project, turnId);
  const conversation = conversationId && (await lockConversation(trx, project, conversationId));
  // Reads the turn under the lock, because it may have been deleted before.
  const turn = conversation && (await findTurn(trx, project, turnId));
  if (!turn) throw turnNotFound();
  return turn;
}

async function refuseActiveBefore(trx: Trx, turn: Pick<Turn, 'conversationId' | 'position'>): Promise<void> {
  if (await hasActiveBefore(trx, turn)) throw notFinished('An earlier turn is still active. Wait until it ends.');
}

function notFinished(message: string): RequestRefused {
  return new RequestRefused(409, 'round_not_finished', message, 'after_round');
}

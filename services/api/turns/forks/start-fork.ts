import { findHashes } from '#core/checkpoint/blobs.ts';
import { findConversation } from '#core/checkpoint/conversations.ts';
import type { Trx } from '#core/checkpoint/tables.ts';
import { copyAdoptedCalls } from '#core/checkpoint/turns/adopt-calls.ts';
import { findTurn } from '#core/checkpoint/turns/reading/find.ts';
import { conversationOf, findLastBegun, hasActiveBefore, lockLine } from '#core/checkpoint/turns/reading/line.ts';
import { RequestRefused } from '#core/failure.ts';
import { newIdBeside } from '#core/id.ts';
import { type ForkPlace, type ForkPlan, planFork } from '#core/turn/forks/plan-fork.ts';
import type { StandingConfig } from '#core/turn/request/turn.ts';
import { isTerminal, type Turn } from '#core/turn/turn.ts';
import { type Started, startConversation, type TurnStart } from '../../../start/start-turn.ts';
import { keepTaken } from '../../../start/take-parts.ts';
import { turnNotFound } from '../../http/find-own.ts';

/** A fork to be started: `start` is its first turn, `standing` what later turns of its conversation inherit. */
export type ForkStart = {
  originId: string;
  asked: ForkPlace;
  standing: StandingConfig;
  start: Omit<TurnStart, 'conversationId'>;
};

/** Records a fork and its first turn. What it stands on is decided under the lock of the conversation that it is forked from (R37). */
export async function startFork(trx: Trx, { originId, asked, standing, start }: ForkStart): Promise<Started> {
  const origin = await lockOrigin(trx, start.project, originId);
  await refuseActiveBefore(trx, origin);
  const { afterRound, upToRound: round } = planned(origin, asked);
  const config = { ...start.config, origin: { kind: 'fork' as const, turnId: origin.id, afterRound } };
  const forkedFrom = { turnId: origin.id, position: origin.position, round };
  const conversation = { config: standing, metadata: {}, begunByTurn: true, forkedFrom };
  const started = await startConversation(
    trx,
    { ...start, config, conversationId: newIdBeside('conv', originId) },
    conversation,
  );
  await keepTaken(trx, { project: start.project, turnId: started.turn.id, taken: start.taken });
  return started;
}

/** A turn to be run again: `start` has its configuration, its key and its trace. */
export type RerunStart = Pick<ForkStart, 'originId' | 'standing'> & {
  toolResults: 'reuse' | 'run';
  start: Omit<TurnStart, 'conversationId' | 'taken'>;
};

/**
 * Records a turn with the input of another that has ended, and what has joined that, in a new conversation that stands on what came before that. The calls
 * that its input allowed keep their results: an approval is used by one turn.
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
    { ...start, config, taken, conversationId: newIdBeside('conv', originId) },
    { config: standing, metadata: {}, begunByTurn: true, ...(forkedFrom && { forkedFrom }) },
  );
  const turnId = started.turn.id;
  await keepTaken(trx, { project, turnId, taken });
  if (origin.adopted.length > 0) await copyAdoptedCalls(trx, { turnId, originId });
  return started;
}

type Place = { turnId: string; position: number; round?: number };

/**
 * What a rerun stands on. A turn that ended before its time has no place in its line: its rerun stands on what had begun when
 * it was asked for; on nothing, and undefined, where that was nothing.
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
  // What its conversation was forked from is in a line that is not locked.
  if (conversation?.forkedFrom) planned(origin, { afterRound: 0, hasInput: true });
  return last;
}

/** Refuses to run a turn again that has not ended. */
export function refuseActive({ status }: Turn): void {
  if (isTerminal(status)) return;
  const message = 'The turn is still active. Wait for it or cancel it, then run it again.';
  throw new RequestRefused(409, 'turn_active', message);
}

/** The plan of a fork, or the refusal of one that has nothing to stand on. */
export function planned(turn: Turn, asked: ForkPlace): Extract<ForkPlan, { kind: 'planned' }> {
  const plan = planFork(turn, asked);
  switch (plan.kind) {
    case 'planned':
      return plan;
    case 'not-begun':
      throw notFinished(
        'The turn has not begun, so there is nothing to stand on yet. Wait until a worker has taken it.',
      );
    case 'never-begun':
      throw notFinished(
        'The turn was cancelled before its time had come, so there is nothing to stand on. Start a turn with its input.',
      );
    case 'not-finished':
      throw notFinished(
        `Round ${asked.afterRound ?? 0} of the turn is not there, or its calls are not all answered yet. Wait for it, or fork behind an earlier round.`,
      );
    case 'input-required': {
      const message = `Round ${asked.afterRound ?? turn.rounds.length} was the answer, so a model has nothing to add. Give an input, or fork behind an earlier round.`;
      throw new RequestRefused(400, 'input_required', message, 'input');
    }
  }
}

/** A turn of the project with all that came before it, which nothing changes or deletes until the commit. */
async function lockOrigin(trx: Trx, project: string, turnId: string): Promise<Turn> {
  const conversationId = await conversationOf(trx, project, turnId);
  const line = conversationId && (await lockLine(trx, project, conversationId));
  // It is read under the lock, as it may have been deleted before.
  const turn = line && (await findTurn(trx, project, turnId));
  if (!turn) throw turnNotFound();
  return turn;
}

async function refuseActiveBefore(trx: Trx, turn: Pick<Turn, 'conversationId' | 'position'>): Promise<void> {
  if (await hasActiveBefore(trx, turn)) throw notFinished('A turn before this one is still at work. Wait for its end.');
}

function notFinished(message: string): RequestRefused {
  return new RequestRefused(409, 'round_not_finished', message, 'after_round');
}

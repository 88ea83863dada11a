import type { Actor } from '../actor.ts';
import { endTurn } from '../checkpoint/end.ts';
import { leaseNextRun } from '../checkpoint/lease.ts';
import { postponeStep } from '../checkpoint/postpone.ts';
import { saveInvalidAnswer, saveRound } from '../checkpoint/save-round.ts';
import type { Guards } from '../guards/all-guards.ts';
import { goContinue, goEnqueue, lookAgain } from '../leave.ts';
import { set } from '../set.ts';
import type { Run, State, Wakeups } from '../state.ts';
import { keepCached } from '../turn-cache.ts';

type Write = (state: State, run: Run, guards: Guards) => Wakeups | null;

/** Emits the moves of a run that asks the model: `run-round.ts`, `commit-round.ts`, `retry-round.ts`, `stop-run.ts`. */
export function workRound(actor: Actor): void {
  const { run, scene, may } = actor;
  const isFinal = run.on === 'r2' || scene.calls === 'none' || scene.calls === 'invalid';
  if (run.at === 'asking' || run.at === 'saving')
    commitWrite(actor, `saves ${run.on}`, isFinal ? COMPLETES : WANTS_CALLS);
  if (scene.calls === 'invalid' && run.on !== 'r3' && (run.at === 'asking' || run.at === 'saving-invalid'))
    commitWrite(actor, `saves ${run.on}, an invalid answer`, invalidCommit(actor));
  if (run.at !== 'asking') return;
  if (run.stop === 'no') {
    may('gets a temporary error', (mine) => set(mine, { at: 'postponing' }), 'later');
    may('gets a permanent error', (mine) => set(mine, { at: 'failing' }), 'definite');
  }
  if (run.stop === 'lost') may('stops asking', lookAgain);
  if (run.stop === 'shutdown') may('stops its request for a deploy', (mine) => set(mine, { at: 'postponing' }));
}

/** Writes without a reply: `postpone.ts` of a round or a batch, `stop-run.ts`, and the end of a hand-over. */
export function admitFailure(actor: Actor): void {
  const { at, on } = actor.run;
  if (at === 'postponing') commitWrite(actor, `postpones ${on}`, { write: postponeStep, at });
  if (at === 'failing') commitWrite(actor, 'fails the turn', { write: fail, at });
  if (at === 'handing-over') commitWrite(actor, 'ends the turn with its calls', { write: complete, at });
}

const complete: Write = (state, run, guards) => endTurn(state, { status: 'completed', run }, guards);

const fail: Write = (state, run, guards) => endTurn(state, { status: 'failed', run }, guards);

const failInvalid: Write = (state, run, guards) => endTurn(state, { status: 'failed', run, invalid: true }, guards);

const COMPLETES = { write: complete, at: 'saving' } as const;

const WANTS_CALLS = { write: saveRound, at: 'saving', leaves: 'b1' } as const;

/** Models `commit-round.ts`: the first invalid answer is repaired, the second ends the turn (R25). */
function invalidCommit({ run, guards }: Actor): Commit {
  const isRepaired = run.on === 'r2' ? !guards.repairIsLast : guards.invalidAnswerIsRepaired;
  return isRepaired
    ? { write: saveInvalidAnswer, at: 'saving-invalid', leaves: 'r2' }
    : { write: failInvalid, at: 'saving-invalid' };
}

type Commit = { write: Write; at: Run['at']; leaves?: 'b1' | 'r2' };

/** Models `retry-transient.ts`: repeats a commit after its answer was lost. Its own guard must refuse the repeat. */
function commitWrite(actor: Actor, verb: string, { write, at, leaves }: Commit): void {
  const { setting, guards, scene, may } = actor;
  if (leaves) commitAndContinue(actor, verb, { write, at, leaves });
  if (leaves && scene.continues) return;
  may(verb, (run, after) => {
    const wakeups = write(after, run, guards);
    if (wakeups && leaves) keepCached(run, leaves, setting);
    if (wakeups) goEnqueue(run, wakeups);
    else lookAgain(run);
  });
  const loseAnswer = (run: Run, after: State) => {
    write(after, run, guards);
    run.at = at;
  };
  may(`${verb}, the answer is lost`, loseAnswer, 'lostAck');
}

/**
 * Commits for a worker that has decided to continue. If the answer is lost, the worker does not know of the commit,
 * and the lease expires.
 */
function commitAndContinue(
  { setting, guards, may }: Actor,
  verb: string,
  { write, at, leaves }: Required<Commit>,
): void {
  may(`${verb} and continues`, (run, after) => {
    if (!write(after, run, guards)) {
      lookAgain(run);
      return;
    }
    leaseNextRun(after, run, guards);
    keepCached(run, leaves, setting);
    goContinue(run, leaves, guards);
  });
  const loseAnswer = (run: Run, after: State) => {
    if (write(after, run, guards)) leaseNextRun(after, run, guards);
    set(run, { at, nextRun: 'none' });
  };
  may(`${verb} and continues, the answer is lost`, loseAnswer, 'lostAck');
}

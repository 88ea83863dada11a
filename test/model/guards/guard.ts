import type { Budget, Left } from '../fault.ts';
import type { RuleName } from '../rules.ts';
import type { Scene } from '../scene.ts';

/**
 * One condition that the protocol depends on: its rule, its place and words in the code, and the effect of removing
 * it. A test looks the words up in the code, so neither changes without the other.
 */
export type Guard = GuardWords & {
  scene: Scene;
  faults: Budget;
  /** The promise that the mutant breaks, or `stuck`: the turn can no longer end. */
  caught: string;
};

/** The guards of a small model, each with the faults that show its lack. */
export type Table<Extra = unknown> = Record<string, GuardWords & { faults: Left; caught: string } & Extra>;

/** The guards of a table, and whether each is up. */
export type Up<Guards> = Readonly<Record<keyof Guards, boolean>>;

/** A guard in words. `awaited`: a guard that was modelled before its code was written, and the missing code. */
export type GuardWords = CodedWords | (Words & { awaited: string });

type CodedWords = Words & {
  /** The words of the code, without braces. */
  code: string;
  /** The words of a condition that several statements share, if the code includes such a condition. */
  shared?: SharedWords;
};

type SharedWords = { file: string; code: string };

/** The folders of the files that have guards. */
export const CHECKPOINT = 'packages/core/checkpoint';
export const TURNS = `${CHECKPOINT}/turns`;
export const TURN = 'packages/core/turn';
export const WORKER = 'services/worker';

const LEASE = `${CHECKPOINT}/sql/lease.ts`;

/** No run has the lease. */
export const IS_FREE: SharedWords = { file: LEASE, code: '(work.lease_owner is null or work.lease_until < now())' };

/** The run has the lease, or the step is free and of the generation that the run loaded. */
export const MAY_GIVE_UP: SharedWords = {
  file: LEASE,
  code: '(work.lease_owner = "runId" or (work.generation = generation and isFree))',
};

/** A lease that is taken or renewed makes its turn due. */
export const LEASED: SharedWords = {
  file: LEASE,
  code: 'lease_owner = runId, lease_until = inMs(timing.leaseMs), due_at = inMs(timing.leaseMs)',
};

const REPLY = `${TURNS}/commits/write-reply.ts`;

/** The turn is at the round of the reply, and at its model. */
export const IS_AT_ROUND: SharedWords = {
  file: REPLY,
  code: `work.status = 'in_progress' and work.step = 'r' || "roundNumber" and work.model = input.model`,
};

export function inReply(code: string): SharedWords {
  return { file: REPLY, code };
}

type Words = {
  rule: RuleName;
  file: string;
  /** The mutant: the behavior of a worker or a statement without the guard. */
  without: string;
};

/** Returns all guards of a table as up, except those that are `down`. */
export function upExcept<Name extends string>(
  guards: Record<Name, unknown>,
  down: NoInfer<Name>[],
): Readonly<Record<Name, boolean>> {
  const names = Object.keys(guards) as Name[];
  return Object.fromEntries(names.map((name) => [name, !down.includes(name)])) as Record<Name, boolean>;
}

import type { Budget } from '../fault.ts';
import type { RuleName } from '../rules.ts';
import type { Scene } from '../scene.ts';

/**
 * One condition that the protocol depends on: its rule, where the code has it and in which words, and what its lack
 * leads to. A test looks the words up in the code, so neither changes without the other.
 */
export type Guard = GuardWords & {
  scene: Scene;
  faults: Budget;
  /** How the mutant is caught: it breaks a promise, or the turn cannot end any more. */
  caught: 'stuck' | { broken: string };
};

/** A guard in words. `awaited`: it was played before the code was written, which will say about this. */
export type GuardWords = CodedWords | (Words & { awaited: string });

type CodedWords = Words & {
  /** The words of the code, without braces. */
  code: string;
};

type Words = {
  rule: RuleName;
  file: string;
  /** The mutant: what a worker, or a statement, does without it. */
  without: string;
};

/** All guards of a table, but for the ones that are `down`. */
export function upExcept<Name extends string>(
  guards: Record<Name, unknown>,
  down: NoInfer<Name>[],
): Readonly<Record<Name, boolean>> {
  const names = Object.keys(guards) as Name[];
  return Object.fromEntries(names.map((name) => [name, !down.includes(name)])) as Record<Name, boolean>;
}

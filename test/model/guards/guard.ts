import type { Budget } from '../fault.ts';
import type { RuleName } from '../rules.ts';
import type { Scene } from '../scene.ts';

/**
 * One condition that the protocol depends on: its rule, where the code has it and in which words, and what its lack
 * leads to. A test looks the words up in the code, so neither changes without the other.
 */
export type Guard = {
  rule: RuleName;
  file: string;
  /** The words of the code, without braces. */
  code: string;
  /** The mutant: what a worker, or a statement, does without it. */
  without: string;
  scene: Scene;
  faults: Budget;
  /** How the mutant is caught: it breaks a promise, or the turn cannot end any more. */
  caught: 'stuck' | { broken: string };
};

import type { Budget } from './fault.ts';
import type { RuleName } from './rules.ts';
import type { Scene } from './scene.ts';

/**
 * One condition that the protocol stands on: of which rule, where the code has it and in which words, and what its lack
 * leads to where. The code is looked up by a test, so neither changes without the other.
 */
export type Guard = {
  rule: RuleName;
  file: string;
  /** The words it has it in, without braces. */
  code: string;
  /** The mutant: what a worker, or a statement, does without it. */
  without: string;
  scene: Scene;
  faults: Budget;
  /** How the mutant is caught: it breaks a promise, or the turn cannot end any more. */
  caught: 'stuck' | { broken: string };
};

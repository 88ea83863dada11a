/**
 * A step of a turn. A round asks the model. A batch runs the tool calls of that round's reply. Batch 0 has the
 * adopted calls.
 */
export type Step = { kind: 'round' | 'batch'; round: number };

const PREFIXES = { round: 'r', batch: 'b' } as const;

/** The name of a turn's first step. */
export const FIRST_STEP = nameStep('round', 1);

/** The name of the first step of a turn with adopted calls: their batch precedes all rounds. */
export const ADOPTED_STEP = nameStep('batch', 0);

/** Returns the name of a step for rows and jobs: `r1`, `b1`, `r2` … SQL in `checkpoint/` builds the same text. */
export function nameStep(kind: Step['kind'], round: number): string {
  return `${PREFIXES[kind]}${round}`;
}

export function readStep(name: string): Step {
  const kind = name.startsWith(PREFIXES.batch) ? 'batch' : 'round';
  return { kind, round: Number(name.slice(1)) };
}

/** Returns the name of the next step: the batch after a round with calls, the next round after a batch. */
export function stepAfter(name: string): string {
  const { kind, round } = readStep(name);
  return kind === 'round' ? nameStep('batch', round) : nameStep('round', round + 1);
}

/** Returns the position of a step in the order of a turn's steps: `r1`, `b1`, `r2`, `b2` … */
export function stepIndex({ kind, round }: Step): number {
  return 2 * round + (kind === 'batch' ? 1 : 0);
}

/** A step of a turn: a round asks the model, a batch runs the tool calls of that round's reply; the adopted calls are batch 0. */
export type Step = { kind: 'round' | 'batch'; round: number };

const PREFIXES = { round: 'r', batch: 'b' } as const;

/** The name of the step that a turn begins with. */
export const FIRST_STEP = nameStep('round', 1);

/** The name of the step that a turn begins with which adopts calls of earlier turns: their batch comes before all rounds. */
export const ADOPTED_STEP = nameStep('batch', 0);

/** The name of a step as rows and jobs carry it: `r1`, `b1`, `r2` … SQL in `checkpoint/` builds the same text. */
export function nameStep(kind: Step['kind'], round: number): string {
  return `${PREFIXES[kind]}${round}`;
}

/** The step that a name stands for. */
export function readStep(name: string): Step {
  const kind = name.startsWith(PREFIXES.batch) ? 'batch' : 'round';
  return { kind, round: Number(name.slice(1)) };
}

/** The name of the step that follows: a round with calls is followed by its batch, a batch by the next round. */
export function stepAfter(name: string): string {
  const { kind, round } = readStep(name);
  return kind === 'round' ? nameStep('batch', round) : nameStep('round', round + 1);
}

/** The position of a step in the order of a turn's steps: `r1`, `b1`, `r2`, `b2` … */
export function stepIndex({ kind, round }: Step): number {
  return 2 * round + (kind === 'batch' ? 1 : 0);
}

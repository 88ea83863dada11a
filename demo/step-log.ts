import type { LogLine } from './start-part.ts';

/** One start of a step, from the log of the worker, given by name, that began it. */
export type StepStart = { kind: 'round' | 'batch'; round: number; worker: string };

/** Which worker began what, in the order in which the lines arrived. */
export type StepLog = {
  record(line: LogLine, worker: string): void;
  all(): StepStart[];
  /** The worker that began a step last. */
  workerOn(kind: StepStart['kind'], round: number): string | undefined;
};

/** The events that start a step. */
const KINDS: Record<string, StepStart['kind']> = { 'round.started': 'round', 'tool_calls.started': 'batch' };

/** Keeps the starts of all steps. A round that starts is one call to the model. */
export function makeStepLog(): StepLog {
  const starts: StepStart[] = [];

  return {
    record: ({ event = '', round }, worker) => {
      const kind = KINDS[event];
      if (kind && round !== undefined) starts.push({ kind, round, worker });
    },
    all: () => [...starts],
    workerOn: (kind, round) => starts.findLast((start) => start.kind === kind && start.round === round)?.worker,
  };
}

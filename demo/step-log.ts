import type { LogLine } from './start-part.ts';

/** One start of a step, from the log of the worker, given by name, that began it. */
export type StepStart = { kind: 'round' | 'batch'; round: number; attempt?: number | undefined; worker: string };

/** A step as an event names it; `attempt` tells the runs of one round apart. */
export type Step = Omit<StepStart, 'worker'>;

/** Which worker began what, in the order in which the lines arrived. */
export type StepLog = {
  record(line: LogLine, worker: string): void;
  all(): StepStart[];
  /** Resolves to the worker that began a step, when its log line has arrived: an event may arrive before it. */
  workerOf(step: Step): Promise<string>;
};

/** The events that start a step. */
const KINDS: Record<string, StepStart['kind']> = { 'round.started': 'round', 'tool_calls.started': 'batch' };

/** Keeps the starts of all steps. A round that starts is one call to the model. */
export function makeStepLog(): StepLog {
  const starts: StepStart[] = [];
  const waiting = new Set<() => void>();
  const startOf = ({ kind, round, attempt }: Step) =>
    starts.findLast(
      (start) => start.kind === kind && start.round === round && (attempt === undefined || start.attempt === attempt),
    );

  return {
    record: ({ event = '', round, attempt }, worker) => {
      const kind = KINDS[event];
      if (!kind || round === undefined) return;
      starts.push({ kind, round, attempt, worker });
      for (const look of waiting) look();
    },
    all: () => [...starts],
    workerOf: (step) =>
      new Promise((resolve) => {
        const look = () => {
          const start = startOf(step);
          if (!start) return;
          waiting.delete(look);
          resolve(start.worker);
        };
        waiting.add(look);
        look();
      }),
  };
}

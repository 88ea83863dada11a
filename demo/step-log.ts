import type { LogLine } from './start-part.ts';

/** A start of a step, with the name of its worker, from the worker's log. */
export type StepStart = { kind: 'round' | 'batch'; round: number; attempt?: number | undefined; worker: string };

/** A step as an event names it. `attempt` distinguishes the runs of a round. */
export type Step = Omit<StepStart, 'worker'>;

/** The starts of steps with their workers, in the order of their log lines. */
export type StepLog = {
  record(line: LogLine, worker: string): void;
  all(): StepStart[];
  /** Resolves to the worker that began a step. Waits for its log line, since an event may arrive earlier. */
  workerOf(step: Step): Promise<string>;
};

const KINDS: Record<string, StepStart['kind']> = { 'round.started': 'round', 'tool_calls.started': 'batch' };

/** Keeps the starts of all steps. Each start of a round is a call to the model. */
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

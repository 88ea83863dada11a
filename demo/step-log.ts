import type { LogLine, Part } from './start-part.ts';

/** One start of a step by a worker, as the worker's own log told it. */
export type StepStart = { kind: 'round' | 'batch'; round: number; worker: Worker };
type Worker = Pick<Part, 'name' | 'pid'>;

/** Who began what, in the order in which it was heard. */
export type StepLog = {
  hear(line: LogLine, worker: Worker): void;
  all(): StepStart[];
  /** The worker that began a step last. */
  workerOn(kind: StepStart['kind'], round: number): Worker | undefined;
};

/** Keeps the starts of all steps. A round that starts is one call to the model. */
export function makeStepLog(): StepLog {
  const starts: StepStart[] = [];

  return {
    hear: ({ msg, round }, worker) => {
      const kind = kindOf(msg);
      if (kind && round !== undefined) starts.push({ kind, round, worker });
    },
    all: () => [...starts],
    workerOn: (kind, round) => starts.findLast((start) => start.kind === kind && start.round === round)?.worker,
  };
}

function kindOf(message: string): StepStart['kind'] | undefined {
  if (/^round \d+ starting$/.test(message)) return 'round';
  return message.startsWith('tool calls started') ? 'batch' : undefined;
}

import type { Kept } from '../explore/plain-model.ts';

/** One turn, its joining inputs, its job, and the runs that may be on it. All its rounds are answers. */
export type InputState = Kept & {
  status: 'queued' | 'active' | 'completed' | 'failed' | 'cancelled';
  /** The step that is due, as the number of its round. */
  step: number;
  generation: number;
  /** How often the step was rescued or reopened. No other write raises its generation. */
  raised: number;
  inputs: number;
  inputsAtStart: number | null;
  /** The inputs that the last round has sent. */
  sent: number;
  /** Whether the step is late, so that a rescue is due. */
  isLate: boolean;
  /** The run that the lease names: a slot, or a run that is over. */
  owner: number | 'over' | null;
  jobs: number;
  callers: Caller[];
  /** The turns that callers created after this turn had ended. */
  made: number;
  runs: InputRun[];
};

/** A caller who steers, with the status that it saw of the turn if it resolves and writes separately. */
export type Caller = { saw: 'active' | 'ended' | null };

/** A worker's slot with its run: the inputs that the run has loaded and has sent to the model. */
export type InputRun = {
  at: 'idle' | 'loaded' | 'asking' | 'ending' | 'refused';
  step: number;
  generation: number;
  view: number;
  /** The inputs that its end has seen in the row, if it does not look at the locked row. */
  seen: number;
};

export const IDLE: InputRun = { at: 'idle', step: 0, generation: 0, view: 0, seen: 0 };

export function isActive({ status }: Pick<InputState, 'status'>): boolean {
  return status === 'queued' || status === 'active';
}

import type { Kept } from '../explore/plain-model.ts';

/** One turn, what joins it, its job, and the runs that may be on it. All its rounds are answers. */
export type InputState = Kept & {
  status: 'queued' | 'active' | 'completed' | 'failed' | 'cancelled';
  /** The step that is due, as the number of its round. */
  step: number;
  generation: number;
  /** How often the step was rescued or reopened: nothing else raises its generation. */
  raised: number;
  inputs: number;
  begunWith: number | null;
  /** Of the last round. */
  sent: number;
  /** Its time has passed, so that a rescue is due. */
  isLate: boolean;
  /** The run that the lease names: a slot, or one that is over. */
  owner: number | 'over' | null;
  jobs: number;
  callers: Caller[];
  /** Turns that callers made since this one had ended. */
  made: number;
  runs: InputRun[];
};

/** A caller who steers: what it has seen of the turn, where it resolves and writes apart. */
export type Caller = { saw: 'active' | 'ended' | null };

/** A worker's slot, and the run in it: what it has loaded, and the model was sent. */
export type InputRun = {
  at: 'idle' | 'loaded' | 'asking' | 'ending' | 'refused';
  step: number;
  generation: number;
  view: number;
  /** What its end has seen of the row, where it does not look at the locked one. */
  seen: number;
};

export const IDLE: InputRun = { at: 'idle', step: 0, generation: 0, view: 0, seen: 0 };

/** Whether a turn has not ended. */
export function isActive({ status }: Pick<InputState, 'status'>): boolean {
  return status === 'queued' || status === 'active';
}

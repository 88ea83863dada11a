import { firstRound, type RoundState } from '../shared/round-state.ts';

/** `work.background`: the response that a round waits for, and the inputs that its request contained. */
export type Background = { round: number; model: number; response: number; inputs: number };

/** A response at the provider, and its row in `background_responses`. */
export type KeptResponse = {
  round: number;
  model: number;
  /** The inputs that the request contained. */
  inputs: number;
  at: 'working' | 'ended' | 'failed' | 'refused' | 'cancelled' | 'lost' | 'deleted';
  /** Whether it has been queued for too long, or has worked for too long. */
  isOverdue: boolean;
  row: 'none' | 'open' | 'used' | 'settled' | 'removed';
  /** `closed_at` is set. */
  isClosed: boolean;
  /** Whether its id was ever committed as the response that a round waits for. */
  wasCommitted: boolean;
  /** Whether a commit has counted its failure as an attempt. */
  isCounted: boolean;
  /** How often its usage was recorded, in a round or as late usage. */
  records: number;
};

/** The columns of a turn. Its model is the number of the model in the list of fallbacks. */
type BackgroundTurn = {
  model: number;
  attempts: number;
  inputs: number;
  lastRound: number;
  background: Background | null;
};

/** A run with the columns that it has loaded, its own request, and the response that it follows. */
type BackgroundRun = {
  model: number;
  attempts: number;
  inputs: number;
  phase: 'ready' | 'naming' | 'following' | 'over';
  seen: Background | null;
  own: number;
  follows: Background | null;
  /** Whether the run gives up its overdue response without an answer from the provider. */
  isCutOff: boolean;
};

/** The sweep of one worker, and the response that it works on. `cancels`: this take has closed the row. */
export type Sweep = {
  at: 'idle' | 'took' | 'read' | 'settled' | 'deleted' | 'gone';
  response: number;
  cancels: boolean;
};

/** A turn with background responses, two runs, and the sweeps of the workers. */
export type BackgroundState = RoundState<BackgroundTurn, BackgroundRun> & {
  responses: KeptResponse[];
  sweeps: Sweep[];
};

export const NO_SWEEP: Sweep = { at: 'idle', response: -1, cancels: false };

const RUN: BackgroundRun = {
  ...{ model: 0, attempts: 0, inputs: 0, phase: 'ready' },
  ...{ seen: null, own: -1, follows: null, isCutOff: false },
};

/** Returns a turn at its first round, and as many sweeps. */
export function firstBackground(rounds: number, sweeps: number) {
  const turn: BackgroundTurn = { model: 1, attempts: 0, inputs: 0, lastRound: rounds, background: null };
  const idle = Array.from({ length: sweeps }, () => ({ ...NO_SWEEP }));
  return { ...firstRound(turn, RUN), responses: [] as KeptResponse[], sweeps: idle };
}

/** Returns the response that the turn waits for: the committed response of its step and its model. */
export function currentOf({ turn }: Pick<BackgroundState, 'turn'>): Background | null {
  const { background: kept } = turn;
  return turn.status === 'active' && kept?.round === turn.round && kept.model === turn.model ? kept : null;
}

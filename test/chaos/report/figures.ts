import { percentile } from '../../../bench/percentile.ts';
import type { History } from '../history.ts';
import { batchedRounds } from '../invariants/batches.ts';
import { repeatedBookings } from '../invariants/tool-calls.ts';
import { doubledTurns, lostTurns, stuckTurns } from '../invariants/turns.ts';
import {
  delaysOfTurns,
  firstRecoveries,
  type Recovery,
  recoveriesOf,
  turnsDuring,
  usualDelayMs,
} from '../recoveries.ts';

/** A run in numbers. Times are milliseconds. */
export type Figures = {
  turns: number;
  faults: FaultFigures[];
  lost: number;
  duplicated: number;
  stuck: number;
  bookedTwice: number;
  /** Requests to the model beyond one request for each round that was not scripted to fail. */
  extraModelCalls: number;
  modelCalls: number;
  batches: BatchFigures;
  delays: Spread;
  /** The times from the end of a fault to the first checkpoint of a turn that it stopped, for each fault. */
  recoveries: Spread;
  /** The recoveries of turns that only one fault stopped. */
  cleanRecoveries: Spread;
  /** The recoveries with other faults in between. */
  mixedRecoveries: Spread;
  slowest: Recovery[];
  latestMs: number;
  driverLag: History['driverLag'];
};

/**
 * `met` counts turns in progress. `recovery` is for each such turn that the fault stopped, with other faults or
 * without.
 */
type FaultFigures = { kind: string; injected: number; effective: number; met: number; recovery: Spread };

/**
 * The requests of batches. Each was used by a round, failed with a reported retry, or was dropped for a cancelled turn.
 */
type BatchFigures = { batches: number; requests: number; used: number; retries: number; dropped: number };

export type Spread = { count: number; p50: number; p99: number; max: number };

const SHOWN = 5;

export function figuresOf(history: History): Figures {
  const recoveries = recoveriesOf(history);
  const { isClean = [], isMixed = [] } = Object.groupBy(recoveries, (one) => (one.isClean ? 'isClean' : 'isMixed'));
  const spread = (some: Recovery[]) => spreadOf(some.map(({ ms }) => ms));
  return {
    turns: history.rows.turns.length,
    faults: countFaults(history, recoveries),
    lost: lostTurns(history).length,
    duplicated: doubledTurns(history).length,
    stuck: stuckTurns(history).length,
    bookedTwice: repeatedBookings(history).length,
    modelCalls: history.modelCalls.length,
    extraModelCalls: countExtra(history),
    batches: countBatches(history),
    delays: spreadOf(delaysOf(history)),
    recoveries: spread(firstRecoveries(recoveries)),
    cleanRecoveries: spread(isClean),
    mixedRecoveries: spread(isMixed),
    slowest: recoveries.toSorted((one, other) => other.ms - one.ms).slice(0, SHOWN),
    latestMs: history.latest.lateMs,
    driverLag: history.driverLag,
  };
}

function countBatches(history: History): BatchFigures {
  const { sent } = history.batches;
  const rounds = batchedRounds(history);
  const sum = (key: 'sent' | 'used' | 'retries') => rounds.reduce((total, round) => total + round[key], 0);
  return {
    batches: new Set(sent.map(({ batchId }) => batchId)).size,
    requests: sent.length,
    used: sum('used'),
    retries: sum('retries'),
    dropped: sum('sent') - sum('used') - sum('retries'),
  };
}

function countFaults({ faults, rows }: History, recoveries: Recovery[]): FaultFigures[] {
  return [...Map.groupBy(faults, ({ kind }) => kind)]
    .map(([kind, all]) => ({
      kind,
      injected: all.length,
      effective: all.filter(({ evidence }) => evidence !== null).length,
      met: all.reduce((sum, fault) => sum + turnsDuring(fault, rows.turns), 0),
      recovery: spreadOf(recoveries.filter(({ fault }) => fault.kind === kind).map(({ ms }) => ms)),
    }))
    .toSorted((one, other) => (one.kind < other.kind ? -1 : 1));
}

/**
 * Counts extra requests. Turns that were scripted to fail or to be refused are left out, since their rounds must be
 * repeated.
 */
function countExtra({ modelCalls, plans, rows }: History): number {
  const troubled = new Set(
    plans.filter(({ trouble, request }) => trouble || request.service_tier).map(({ number }) => number),
  );
  const own = new Set(rows.turns.filter(({ plan }) => !troubled.has(plan)).map(({ id }) => id));
  const requests = modelCalls.filter(({ turnId }) => own.has(turnId));
  return requests.length - new Set(requests.map(({ turnId, round }) => `${turnId}.${round}`)).size;
}

/** Returns how much longer turns took than their scripts, less the same of unharmed turns. */
function delaysOf(history: History): number[] {
  const usual = usualDelayMs(history);
  return delaysOfTurns(history).map(({ ms }) => Math.max(0, ms - usual));
}

function spreadOf(values: number[]): Spread {
  if (values.length === 0) return { count: 0, p50: 0, p99: 0, max: 0 };
  return {
    count: values.length,
    p50: percentile(values, 0.5),
    p99: percentile(values, 0.99),
    max: Math.max(...values),
  };
}

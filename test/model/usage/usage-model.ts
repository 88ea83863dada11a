import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { UsageFault } from './usage-fault.ts';
import type { UsageGuards } from './usage-guards.ts';

/** Rounds that are saved, what is recorded of them, and two workers that roll that up. */
type UsageState = {
  rounds: number;
  records: number;
  sums: number;
  workers: { at: 'idle' | 'read' | 'took'; records: number }[];
  left: Left<UsageFault>;
  broken: string | null;
};

type Emit = EmitPlain<UsageState, UsageFault>;

const MOST_ROUNDS = 3;

/** The model of what commits use (R33). */
export function usageModel({ guards, left }: { guards: UsageGuards; left: Left<UsageFault> }): Model<UsageState> {
  const workers = [0, 1].map(() => ({ at: 'idle' as const, records: 0 }));
  return plainModel<UsageState, UsageFault>({
    first: { rounds: 0, records: 0, sums: 0, workers, left, broken: null },
    movesOf: (state, emit) => {
      if (state.rounds < MOST_ROUNDS) saveRounds(state, guards, emit);
      state.workers.forEach((_, slot) => {
        rollUp(state, { slot, guards }, emit);
      });
    },
    brokenIn: ({ rounds, records, sums }) => {
      if (records + sums > rounds) return 'usage was counted twice';
      return records + sums < rounds ? 'usage was lost' : null;
    },
    isDone: ({ rounds, records }) => rounds === MOST_ROUNDS && records === 0,
  });
}

function saveRounds(_: UsageState, guards: UsageGuards, emit: Emit): void {
  const save = (after: UsageState) => {
    after.rounds += 1;
    if (guards.roundRecordsItself) after.records += 1;
  };
  emit('a round is saved', save);
  emit(
    'a round is saved, and once more since no answer came',
    (after) => {
      save(after);
      if (!guards.recordNeedsRound) after.records += 1;
    },
    'lostAck',
  );
}

/** `roll-up-usage.ts`: one statement, whatever another worker does. */
function rollUp(state: UsageState, { slot, guards }: { slot: number; guards: UsageGuards }, emit: Emit): void {
  const worker = state.workers[slot];
  const move = (
    verb: string,
    change: (after: UsageState, own: UsageState['workers'][number]) => void,
    fault?: 'crash',
  ) => emit(`w${slot + 1} ${verb}`, (after) => change(after, after.workers[slot] ?? { at: 'idle', records: 0 }), fault);
  switch (worker?.at) {
    case 'idle':
      if (state.records > 0)
        move('looks at records', (after, own) => Object.assign(own, { at: 'read', records: after.records }));
      break;
    case 'read':
      move('takes what it deletes', (after, own) => take(after, own, guards));
      break;
    case 'took':
      move('adds the sum', (after, own) => {
        after.sums += own.records;
        Object.assign(own, { at: 'idle', records: 0 });
      });
      move('dies', (_, own) => Object.assign(own, { at: 'idle', records: 0 }), 'crash');
  }
}

function take(after: UsageState, own: UsageState['workers'][number], guards: UsageGuards): void {
  const taken = guards.deletedIsSummed ? after.records : Math.min(own.records, after.records);
  after.records = 0;
  if (!guards.recordsBecomeSumAtOnce) {
    Object.assign(own, { at: 'took', records: taken });
    return;
  }
  after.sums += taken;
  Object.assign(own, { at: 'idle', records: 0 });
}

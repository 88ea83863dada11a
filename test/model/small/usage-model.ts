import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, inReply, type Table, TURNS, type Up } from '../guards/guard.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const ROLL_UP = `${CHECKPOINT}/usage/roll-up-usage.ts`;
const lost = 'usage was lost';

/** The guards that keep usage from being lost or counted twice: R33. */
const usageGuards = {
  roundRecordsItself: {
    ...{ rule: 'R33', file: `${TURNS}/save-round.ts` },
    code: 'savedBy(lean ?? (await writeReply(db, rowOfRound(round)))[0])',
    shared: inReply('recorded as (recordRounds(sql`target`)'),
    without: 'the usage of a round is recorded in another commit than its reply',
    ...{ faults: { crash: 1 }, caught: lost },
  },
  recordNeedsRound: {
    ...{ rule: 'R33', file: `${TURNS}/commits/write-ending.ts`, code: 'recorded as (recordRounds(sql`target`)' },
    without: 'a repeated commit that is refused records its usage',
    ...{ faults: { lostAck: 1 }, caught: 'usage was counted twice' },
  },
  recordsBecomeSumAtOnce: {
    ...{ rule: 'R33', file: ROLL_UP, code: 'insert into usage_sums' },
    without: 'one commit deletes records, and another commit adds them to the sum',
    ...{ faults: { crash: 1 }, caught: lost },
  },
  deletedIsSummed: {
    ...{ rule: 'R33', file: ROLL_UP, code: 'from taken group by' },
    without: 'a late record is deleted with the records that were read and summed',
    ...{ faults: {}, caught: lost },
  },
} satisfies Table;

type UsageGuards = Up<typeof usageGuards>;

/** Saved rounds, their usage records, and two workers that roll the records up. */
type UsageState = Kept & {
  rounds: number;
  records: number;
  sums: number;
  runs: { at: 'idle' | 'read' | 'took'; records: number }[];
};

const MOST_ROUNDS = 3;
const IDLE = { at: 'idle', records: 0 } as const;

/** The model of the usage of commits (R33). */
export const usageSuite: Suite = suiteOf({
  promise: 'the usage of rounds is counted once at every moment',
  guards: usageGuards,
  modelOf: (guards: UsageGuards, { faults }: { faults: Left }) =>
    plainModel<UsageState>({
      first: { rounds: 0, records: 0, sums: 0, runs: [{ ...IDLE }, { ...IDLE }] },
      faults,
      movesOf: (state, emit) => {
        if (state.rounds < MOST_ROUNDS) saveRounds(guards, emit);
        moveRuns(state, emit, (run, may) => rollUp(state, { run, guards, may }));
      },
      brokenIn: ({ rounds, records, sums }) => {
        if (records + sums > rounds) return 'usage was counted twice';
        return records + sums < rounds ? 'usage was lost' : null;
      },
      isDone: ({ rounds, records }) => rounds === MOST_ROUNDS && records === 0,
    }),
  scenes: ({ each }) => withFaults('usage', [{ crash: each + 1, lostAck: each + 1 }]),
});

function saveRounds(guards: UsageGuards, emit: Emit<UsageState>): void {
  const save = (after: UsageState) => {
    after.rounds += 1;
    if (guards.roundRecordsItself) after.records += 1;
  };
  emit('a round is saved', save);
  emit(
    'a round is saved, and saved again because the answer is lost',
    (after) => {
      save(after);
      if (!guards.recordNeedsRound) after.records += 1;
    },
    'lostAck',
  );
}

type Run = UsageState['runs'][number];
type Rolling = { run: Run; guards: UsageGuards; may: MayRun<UsageState> };

/** Models `roll-up-usage.ts`: one statement, independent of other workers. */
function rollUp({ records }: UsageState, { run, guards, may }: Rolling): void {
  if (run.at === 'idle' && records > 0)
    may('reads records', (own, after) => Object.assign(own, { at: 'read', records: after.records }));
  if (run.at === 'read') may('deletes the records', (own, after) => take(after, own, guards));
  if (run.at !== 'took') return;
  may('adds the sum', (own, after) => {
    after.sums += own.records;
    Object.assign(own, IDLE);
  });
  may('dies', (own) => Object.assign(own, IDLE), 'crash');
}

function take(after: UsageState, own: Run, guards: UsageGuards): void {
  const taken = guards.deletedIsSummed ? after.records : Math.min(own.records, after.records);
  after.records = 0;
  if (guards.recordsBecomeSumAtOnce) {
    after.sums += taken;
    Object.assign(own, IDLE);
  } else Object.assign(own, { at: 'took', records: taken });
}

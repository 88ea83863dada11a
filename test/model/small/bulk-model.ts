import type { Emit } from '../explore/model.ts';
import { type Kept, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { CHECKPOINT, type Table, type Up, WORKER } from '../guards/guard.ts';
import { type MayRun, moveRuns } from '../shared/move-runs.ts';
import { type Suite, suiteOf, withFaults } from '../suite.ts';

const settle = `${CHECKPOINT}/bulk/settle-turn.ts`;
const stops = `${CHECKPOINT}/bulk/stop-turns.ts`;
const twice = 'a turn was treated twice';

/** The guards that keep a bulk to its own turns, each once: R34. */
const bulkGuards = {
  meantTurnsAreKept: {
    ...{ rule: 'R34', file: `${CHECKPOINT}/bulk/create-bulk.ts`, code: 'insert into bulk_turns (bulk_id, turn_id)' },
    without: 'a batch matches turns again',
    ...{ faults: { create: 1 }, caught: 'a turn was treated that was created later' },
  },
  onlyLeftTurnIsTreated: {
    ...{ rule: 'R34', file: settle, code: 'and outcome is null for update' },
    without: 'a worker treats the turns of its batch although another worker may have treated them',
    ...{ faults: { stall: 1 }, caught: twice },
  },
  outcomeIsOfTreatment: {
    ...{ rule: 'R34', file: `${WORKER}/bulk/treat-turn.ts` },
    code: 'await settleBulkTurn(trx, { bulkId, turnId, outcome: done.outcome })',
    without: 'the outcome of a turn is recorded in another commit than its treatment',
    ...{ faults: { crash: 1 }, caught: twice },
  },
  countedIsGone: {
    ...{ rule: 'R34', file: settle, code: 'delete from bulk_turns where bulk_id = bulkId and outcome is not null' },
    without: 'counted outcomes are kept, and counted again',
    ...{ faults: {}, caught: 'a turn was counted twice' },
  },
  stoppedTurnHasNoSlot: {
    ...{ rule: 'R27', file: `${CHECKPOINT}/sql/slot.ts`, code: `(work.slot is null or work.slot = 'held')` },
    without: 'a worker begins a turn that a bulk has stopped',
    ...{ faults: {}, caught: 'a stopped turn began' },
  },
  treatedTurnIsNotStopped: {
    ...{ rule: 'R34', file: stops, code: 'and turn_id > stops_after and outcome is null' },
    without: 'a turn is stopped after its treatment has failed',
    ...{ faults: { fail: 1 }, caught: 'stuck' },
  },
  failedTreatmentReleases: {
    ...{ rule: 'R34', file: stops, code: `set slot = 'none', due_at = case when at_head then now()` },
    without: 'a turn stays stopped after the bulk has treated it',
    ...{ faults: { fail: 1 }, caught: 'stuck' },
  },
  openBulkStaysDue: {
    ...{ rule: 'R34', file: settle, code: '< matched then now() end' },
    without: 'a bulk with more turns has no due time',
    ...{ faults: {}, caught: 'stuck' },
  },
} satisfies Table;

type BulkGuards = Up<typeof bulkGuards>;

type BulkTurn = {
  place: 'meant' | 'settled' | 'counted' | 'later';
  treated: number;
  /** Whether a worker may begin the turn, or a bulk has stopped it (R27). */
  work: 'queued' | 'stopped' | 'over';
};

/**
 * A bulk that cancels, its turns, and two workers that may be on it. `stops`: the turns that it has checked to stop
 * them.
 */
type BulkState = Kept & {
  turns: BulkTurn[];
  counted: number;
  stops: number;
  isDue: boolean;
  runs: { batch: number[]; unsettled: number | null; isOn: boolean }[];
};

type Worker = BulkState['runs'][number];

const MEANT = 3;
const AT_ONCE = 2;

const idleWorker = (): Worker => ({ batch: [], unsettled: null, isOn: false });

/** The model of a bulk (R34). */
export const bulkSuite: Suite = suiteOf({
  promise: 'a bulk treats each of its turns once',
  guards: bulkGuards,
  modelOf: (guards: BulkGuards, { faults }: { faults: Left }) => {
    const turns = Array.from({ length: MEANT }, (): BulkTurn => ({ place: 'meant', treated: 0, work: 'queued' }));
    return plainModel<BulkState>({
      first: { turns, counted: 0, stops: 0, isDue: true, runs: [idleWorker(), idleWorker()] },
      faults,
      movesOf: (state, emit) => {
        passTime(state, emit);
        stopTurns(state, guards, emit);
        beginTurns(state, guards, emit);
        moveRuns(state, emit, (worker, may) => moveWorker(state, { worker, guards, move: may }));
      },
      brokenIn: ({ turns: all, counted }) => {
        if (all.some(({ treated }) => treated > 1)) return 'a turn was treated twice';
        if (all.some(({ place, treated }) => place === 'later' && treated > 0))
          return 'a turn was treated that was created later';
        return counted > MEANT ? 'a turn was counted twice' : null;
      },
      isDone: ({ counted, turns: all }) => counted === MEANT && all.every(({ work }) => work !== 'stopped'),
    });
  },
  scenes: ({ each }) => withFaults('bulks', [{ crash: each, stall: each, create: 1, fail: 1 }]),
});

/** Makes a bulk due again after its worker died or was slower than its lease. */
function passTime({ runs, isDue, counted }: BulkState, emit: Emit<BulkState>): void {
  emit('a turn is created', (after) => void after.turns.push({ place: 'later', treated: 0, work: 'queued' }), 'create');
  const isLeased = runs.some(({ isOn }) => isOn);
  const pass = (after: BulkState) => Object.assign(after, { isDue: true });
  if (!isDue && isLeased && counted < MEANT) emit('the lease expires', pass, 'stall');
}

/**
 * Models `stop-turns.ts`: one statement for each batch, from any worker. A worker that dies before its commit has
 * changed no row.
 */
function stopTurns({ stops }: BulkState, guards: BulkGuards, emit: Emit<BulkState>): void {
  if (stops >= MEANT) return;
  emit('a worker stops a turn', (after) => {
    const turn = after.turns[after.stops];
    if (turn?.work === 'queued' && (turn.place === 'meant' || !guards.treatedTurnIsNotStopped)) turn.work = 'stopped';
    after.stops += 1;
  });
}

/** Models `begin.ts` and `lease.ts`: a worker begins the first turn that it may. The other turns are alike. */
function beginTurns({ turns }: BulkState, guards: BulkGuards, emit: Emit<BulkState>): void {
  const index = turns.findIndex(
    ({ work }) => work === 'queued' || (work === 'stopped' && !guards.stoppedTurnHasNoSlot),
  );
  if (index < 0) return;
  emit(`a worker runs turn ${index}`, (after) => {
    const turn = after.turns[index];
    if (turn?.work === 'stopped') after.broken ??= 'a stopped turn began';
    if (turn) turn.work = 'over';
  });
}

type Mover = { worker: Worker; guards: BulkGuards; move: MayRun<BulkState> };

function moveWorker(state: BulkState, { worker, guards, move }: Mover): void {
  if (!worker.isOn) {
    if (state.isDue) move('takes a batch', (own, after) => takeBatch(after, own, guards));
    return;
  }
  move('dies', (own, after) => Object.assign(after, { isDue: true }) && Object.assign(own, idleWorker()), 'crash');
  if (worker.unsettled !== null) move('records the outcome', (own, after) => settleApart(after, own));
  else if (worker.batch.length > 0) {
    move('treats a turn', (own, after) => treat(after, own, guards));
    move('fails to treat a turn', (own, after) => treat(after, own, guards, 'fails'), 'fail');
  }
  if (worker.unsettled === null && worker.batch.length === 0) move('counts', (own, after) => count(after, own, guards));
}

/** Models `take-batch.ts`. */
function takeBatch(after: BulkState, own: Worker, guards: BulkGuards): void {
  const isMeant = ({ place, treated }: BulkTurn) =>
    place === 'meant' || (place === 'later' && treated === 0 && !guards.meantTurnsAreKept);
  const batch = after.turns.flatMap((turn, index) => (isMeant(turn) ? [index] : [])).slice(-AT_ONCE);
  Object.assign(own, { isOn: true, batch });
  after.isDue = false;
}

/** Models `treat-turn.ts`: one transaction. */
function treat(after: BulkState, own: Worker, guards: BulkGuards, fails?: 'fails'): void {
  const index = own.batch.shift();
  const turn = index === undefined ? undefined : after.turns[index];
  if (!turn || index === undefined) return;
  if (turn.place !== 'meant' && turn.place !== 'later' && guards.onlyLeftTurnIsTreated) return;
  turn.treated += 1;
  // The turn has ended. With `fails` it is unchanged: `releaseStoppedTurn` lets it continue.
  if (!fails) turn.work = 'over';
  else if (turn.work === 'stopped' && guards.failedTreatmentReleases) turn.work = 'queued';
  if (turn.place !== 'meant') return;
  if (guards.outcomeIsOfTreatment) turn.place = 'settled';
  else own.unsettled = index;
}

function settleApart(after: BulkState, own: Worker): void {
  const turn = own.unsettled === null ? undefined : after.turns[own.unsettled];
  if (turn?.place === 'meant') turn.place = 'settled';
  own.unsettled = null;
}

/** Models `countSettledTurns`: one statement. */
function count(after: BulkState, own: Worker, guards: BulkGuards): void {
  for (const turn of after.turns) {
    if (turn.place !== 'settled') continue;
    after.counted += 1;
    if (guards.countedIsGone) turn.place = 'counted';
  }
  if (after.counted < MEANT && guards.openBulkStaysDue) after.isDue = true;
  Object.assign(own, idleWorker());
}

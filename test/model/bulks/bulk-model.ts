import type { Model } from '../explore/model.ts';
import { type EmitPlain, type Left, plainModel } from '../explore/plain-model.ts';
import type { BulkFault } from './bulk-fault.ts';
import type { BulkGuards } from './bulk-guards.ts';

type BulkTurn = {
  place: 'meant' | 'settled' | 'counted' | 'later';
  treated: number;
  /** Whether a worker may begin it, or a bulk has stopped it (R27). */
  work: 'queued' | 'stopped' | 'over';
};

/** A bulk that cancels, with its turns, and two workers that may be on it. `stops`: how many turns it has looked at to stop them. */
type BulkState = {
  turns: BulkTurn[];
  counted: number;
  stops: number;
  isDue: boolean;
  workers: { portion: number[]; unsettled: number | null; isOn: boolean }[];
  left: Left<BulkFault>;
  broken: string | null;
};

type Emit = EmitPlain<BulkState, BulkFault>;
type Worker = BulkState['workers'][number];

const MEANT = 3;
const AT_ONCE = 2;

const idleWorker = (): Worker => ({ portion: [], unsettled: null, isOn: false });

/** The model of a bulk (R34). */
export function bulkModel({ guards, left }: { guards: BulkGuards; left: Left<BulkFault> }): Model<BulkState> {
  const turns = Array.from({ length: MEANT }, (): BulkTurn => ({ place: 'meant', treated: 0, work: 'queued' }));
  return plainModel<BulkState, BulkFault>({
    first: { turns, counted: 0, stops: 0, isDue: true, workers: [idleWorker(), idleWorker()], left, broken: null },
    movesOf: (state, emit) => {
      passTime(state, emit);
      stopTurns(state, guards, emit);
      beginTurns(state, guards, emit);
      state.workers.forEach((worker, slot) => {
        moveWorker(state, { worker, slot, guards }, emit);
      });
    },
    brokenIn: ({ turns: all, counted }) => {
      if (all.some(({ treated }) => treated > 1)) return 'a turn was treated twice';
      if (all.some(({ place, treated }) => place === 'later' && treated > 0))
        return 'a turn was treated that came later';
      return counted > MEANT ? 'a turn was counted twice' : null;
    },
    isDone: ({ counted, turns: all }) => counted === MEANT && all.every(({ work }) => work !== 'stopped'),
  });
}

/** A bulk is due again once its worker is gone, or is slower than its lease. */
function passTime({ workers, isDue, counted }: BulkState, emit: Emit): void {
  emit('a turn comes', (after) => void after.turns.push({ place: 'later', treated: 0, work: 'queued' }), 'create');
  const isLeased = workers.some(({ isOn }) => isOn);
  const pass = (after: BulkState) => Object.assign(after, { isDue: true });
  if (!isDue && isLeased && counted < MEANT) emit('the lease passes', pass, 'stall');
}

/** `stop-turns.ts`: one statement for each portion, whichever worker; one that dies before its commit has done nothing. */
function stopTurns({ stops }: BulkState, guards: BulkGuards, emit: Emit): void {
  if (stops >= MEANT) return;
  emit('a worker stops a turn', (after) => {
    const turn = after.turns[after.stops];
    if (turn?.work === 'queued' && (turn.place === 'meant' || !guards.treatedTurnIsNotStopped)) turn.work = 'stopped';
    after.stops += 1;
  });
}

/** `begin.ts` and `lease.ts`: a worker begins the first turn that it may. The others are alike. */
function beginTurns({ turns }: BulkState, guards: BulkGuards, emit: Emit): void {
  const index = turns.findIndex(
    ({ work }) => work === 'queued' || (work === 'stopped' && !guards.stoppedTurnHasNoPlace),
  );
  if (index < 0) return;
  emit(`a worker works turn ${index}`, (after) => {
    const turn = after.turns[index];
    if (turn?.work === 'stopped') after.broken ??= 'a turn began that was stopped';
    if (turn) turn.work = 'over';
  });
}

type Mover = { worker: Worker; slot: number; guards: BulkGuards };

function moveWorker(state: BulkState, { worker, slot, guards }: Mover, emit: Emit): void {
  const move = (verb: string, change: (after: BulkState, own: Worker) => void, fault?: BulkFault) =>
    emit(`w${slot + 1} ${verb}`, (after) => change(after, after.workers[slot] ?? idleWorker()), fault);
  if (!worker.isOn) {
    if (state.isDue) move('takes a portion', (after, own) => takePortion(after, own, guards));
    return;
  }
  move('dies', (after, own) => Object.assign(after, { isDue: true }) && Object.assign(own, idleWorker()), 'crash');
  if (worker.unsettled !== null) move('records what came of it', settleApart);
  else if (worker.portion.length > 0) {
    move('treats a turn', (after, own) => treat(after, own, guards));
    move('fails to treat a turn', (after, own) => treat(after, own, guards, 'fails'), 'fail');
  }
  if (worker.unsettled === null && worker.portion.length === 0)
    move('counts', (after, own) => count(after, own, guards));
}

/** `take-portion.ts`. */
function takePortion(after: BulkState, own: Worker, guards: BulkGuards): void {
  const isMeant = ({ place, treated }: BulkTurn) =>
    place === 'meant' || (place === 'later' && treated === 0 && !guards.meantTurnsAreKept);
  const portion = after.turns.flatMap((turn, index) => (isMeant(turn) ? [index] : [])).slice(-AT_ONCE);
  Object.assign(own, { isOn: true, portion });
  after.isDue = false;
}

/** `treat-turn.ts`: one transaction. */
function treat(after: BulkState, own: Worker, guards: BulkGuards, fails?: 'fails'): void {
  const index = own.portion.shift();
  const turn = index === undefined ? undefined : after.turns[index];
  if (!turn || index === undefined) return;
  if (turn.place !== 'meant' && turn.place !== 'later' && guards.onlyLeftTurnIsTreated) return;
  turn.treated += 1;
  // Ended, or with `fails` as it is: `releaseStoppedTurn` lets it go on.
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

/** `countSettledTurns`: one statement. */
function count(after: BulkState, own: Worker, guards: BulkGuards): void {
  for (const turn of after.turns) {
    if (turn.place !== 'settled') continue;
    after.counted += 1;
    if (guards.countedIsGone) turn.place = 'counted';
  }
  if (after.counted < MEANT && guards.openBulkStaysDue) after.isDue = true;
  Object.assign(own, idleWorker());
}

import type { Emit } from '../explore/model.ts';
import { at, plainModel } from '../explore/plain-model.ts';
import type { Left } from '../fault.ts';
import { named, type Suite, suiteOf } from '../suite.ts';
import { eraseFound, findErasable, lookAtRemoval, removeLineTurn } from './line-erasure.ts';
import { type LineGuards, lineGuards } from './line-guards.ts';
import { brokenLine, isLineDone } from './line-history.ts';
import { type Create, firstLine, isFound, type LineState } from './line-state.ts';
import {
  type Asks,
  decideCreate,
  endLineTurn,
  hideLineTurn,
  type LineScene,
  mayRetryLine,
  writeCreate,
} from './line-writes.ts';

/** The model of a conversation with its forks, deletions and erasures (R20, R21, R22, R31). */
export const lineSuite: Suite = suiteOf({
  promise: 'the history of each turn never changes',
  guards: lineGuards,
  modelOf: (guards: LineGuards, { asks, faults }: { asks: Asks; faults: Left }) =>
    plainModel<LineState>({
      first: firstLine(),
      faults,
      movesOf: (state, emit) => movesOfLine(state, { asks, guards }, emit),
      brokenIn: (state) => brokenLine(state, guards),
      isDone: isLineDone,
    }),
  scenes: ({ each }) =>
    named('lines', [
      ...(['output', 'approval'] as const).flatMap((asks) =>
        [{ hide: each + 2 }, { hide: each, remove: each + 1 }].map((deletes) => ({
          asks,
          faults: { create: each + 1, unstored: 1, ...deletes, fail: 1, retry: 1 },
        })),
      ),
      { asks: 'approval' as const, faults: { create: 3, hide: 2 } },
    ]),
});

function movesOfLine(state: LineState, scene: LineScene, emit: Emit<LineState>): void {
  workTurns(state, scene, emit);
  startTurns(state, scene, emit);
  state.turns.forEach((turn, index) => {
    if (mayRetryLine(state, index, scene.guards)) {
      const again = { status: 'waiting', failed: false };
      emit(`a caller retries turn ${index}`, (after) => Object.assign(at(after.turns, index), again), 'retry');
    }
    if (isFound(turn)) emit(`a caller deletes response ${index}`, (after) => hideLineTurn(after, index), 'hide');
  });
  removeTurns(state, scene, emit);
  eraseLines(state, scene, emit);
}

/**
 * Models a removal, which reads and writes under one lock. Without the lock, another commit may happen in between.
 */
function removeTurns(state: LineState, { guards }: LineScene, emit: Emit<LineState>): void {
  const { removing } = state;
  if (removing) {
    emit(`the removal of turn ${removing.index} is written`, (after) => {
      after.removing = null;
      if (!at(after.turns, removing.index).erased) removeLineTurn(after, removing, guards);
    });
  }
  for (const index of state.turns.keys()) {
    const looked = lookAtRemoval(state, index, guards);
    if (!looked) continue;
    emit(`a caller or the retention removes turn ${index}`, (after) => removeLineTurn(after, looked, guards), 'remove');
    if (!guards.removalLocksLine && !removing)
      emit(`a removal reads turn ${index}`, (after) => Object.assign(after, { removing: looked }), 'remove');
  }
}

function workTurns(state: LineState, scene: LineScene, emit: Emit<LineState>): void {
  state.conversations.forEach((_, conversation) => {
    const first = state.turns.findIndex((turn) => turn.conversation === conversation && turn.status === 'waiting');
    if (first < 0) return;
    emit(`turn ${first} ends`, (after) => endLineTurn(after, at(after.turns, first), scene));
    emit(
      `turn ${first} fails`,
      (after) => Object.assign(at(after.turns, first), { status: 'ended', failed: true }),
      'fail',
    );
  });
}

/** Models a create, which decides and writes under one lock. Without the lock, another commit may happen in between. */
function startTurns(state: LineState, scene: LineScene, emit: Emit<LineState>): void {
  const { looked } = state;
  if (looked) {
    emit(`the create on turn ${looked.on} is written`, (after) => {
      after.looked = null;
      writeCreate(after, looked, { ...scene, isFork: looked.isFork });
    });
  }
  for (const create of createsOf(state)) {
    const decision = decideCreate(state, create, scene);
    if (decision === 'refused') continue;
    const { on, by, stored, answers } = create;
    const verb = `a caller starts a turn${stored ? '' : ' (unstored)'} on ${by === 'turn' ? '' : 'the conversation of '}turn ${on}${answers ? ', answering its call' : ''}`;
    const isFork = decision === 'fork';
    const fault = stored ? 'create' : 'unstored';
    emit(`${verb}: ${decision}`, (after) => writeCreate(after, create, { ...scene, isFork }), fault);
    if (!scene.guards.createLocksLine && !looked)
      emit(`${verb}: reads`, (after) => Object.assign(after, { looked: { ...create, isFork } }), fault);
  }
}

/** Returns the possible creates. The end of a conversation is its last visible turn. */
function createsOf(state: LineState): Create[] {
  const ends = state.conversations.map((_, conversation) =>
    state.turns.findLastIndex((turn) => turn.conversation === conversation && isFound(turn)),
  );
  const targets = [
    ...[...state.turns.keys()].map((on) => ({ on, by: 'turn' as const })),
    ...ends.filter((on) => on >= 0).map((on) => ({ on, by: 'conversation' as const })),
  ];
  const kinds = [true, false].flatMap((stored) => [true, false].map((answers) => ({ stored, answers })));
  return targets.flatMap((target) => kinds.map((kind) => ({ ...target, ...kind })));
}

function eraseLines(state: LineState, { guards }: LineScene, emit: Emit<LineState>): void {
  state.conversations.forEach(({ isEraseDue, isErased }, conversation) => {
    if (!isEraseDue || isErased) return;
    const found = findErasable(state, conversation, guards);
    emit(`conversation ${conversation} is checked and erased`, (after) =>
      eraseFound(after, conversation, { found, guards }),
    );
    if (!guards.eraseLocksLine && state.found.length === 0 && found.length > 0)
      emit(`the eraser checks conversation ${conversation}`, (after) => Object.assign(after, { found }));
  });
  const [first] = state.found;
  if (first === undefined) return;
  emit('the eraser deletes the turns that it found', (after) => {
    eraseFound(after, at(after.turns, first).conversation, { found: after.found, guards });
    after.found = [];
  });
}

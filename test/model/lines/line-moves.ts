import type { EmitPlain } from '../explore/plain-model.ts';
import { eraseFound, findErasable, lookAtRemoval, removeLineTurn } from './line-erasure.ts';
import { type Create, isFound, type LineFault, type LineState, turnAt } from './line-state.ts';
import { decideCreate, endLineTurn, hideLineTurn, type LineScene, mayRetryLine, writeCreate } from './line-writes.ts';

type Emit = EmitPlain<LineState, LineFault>;

/** Emits all that may happen next to the turns of a line and its forks. */
export function movesOfLine(state: LineState, scene: LineScene, emit: Emit): void {
  workTurns(state, scene, emit);
  startTurns(state, scene, emit);
  state.turns.forEach((turn, index) => {
    if (mayRetryLine(state, index, scene.guards)) {
      const again = { status: 'waiting', failed: false };
      emit(`a caller retries turn ${index}`, (after) => Object.assign(turnAt(after, index), again), 'retry');
    }
    if (isFound(turn)) emit(`a caller deletes response ${index}`, (after) => hideLineTurn(after, index), 'hide');
  });
  removeTurns(state, scene, emit);
  eraseLines(state, scene, emit);
}

/** A removal looks and writes under one lock; without it, another commit may come between. */
function removeTurns(state: LineState, { guards }: LineScene, emit: Emit): void {
  const { removing } = state;
  if (removing) {
    emit(`the removal of turn ${removing.index} is written`, (after) => {
      after.removing = null;
      if (!turnAt(after, removing.index).erased) removeLineTurn(after, removing, guards);
    });
  }
  for (const index of state.turns.keys()) {
    const looked = lookAtRemoval(state, index, guards);
    if (!looked) continue;
    emit(`a caller, or its age, removes turn ${index}`, (after) => removeLineTurn(after, looked, guards), 'remove');
    if (!guards.removalLocksLine && !removing)
      emit(`a removal looks at turn ${index}`, (after) => Object.assign(after, { removing: looked }), 'remove');
  }
}

function workTurns(state: LineState, scene: LineScene, emit: Emit): void {
  state.conversations.forEach((_, conversation) => {
    const at = state.turns.findIndex((turn) => turn.conversation === conversation && turn.status === 'waiting');
    if (at < 0) return;
    emit(`turn ${at} ends`, (after) => endLineTurn(after, turnAt(after, at), scene));
    emit(`turn ${at} fails`, (after) => Object.assign(turnAt(after, at), { status: 'ended', failed: true }), 'fail');
  });
}

/** A create decides and writes under one lock; without it, another commit may come between. */
function startTurns(state: LineState, scene: LineScene, emit: Emit): void {
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
    const verb = `a caller starts a turn${stored ? '' : ' that is not stored'} on ${by === 'turn' ? '' : 'the conversation of '}turn ${on}${answers ? ', answering its call' : ''}`;
    const isFork = decision === 'fork';
    const fault = stored ? 'create' : 'unstored';
    emit(`${verb}: ${decision}`, (after) => writeCreate(after, create, { ...scene, isFork }), fault);
    if (!scene.guards.createLocksLine && !looked)
      emit(`${verb}: looks`, (after) => Object.assign(after, { looked: { ...create, isFork } }), fault);
  }
}

/** The end of a conversation is its last turn that callers find. */
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

function eraseLines(state: LineState, { guards }: LineScene, emit: Emit): void {
  state.conversations.forEach(({ isEraseDue, isErased }, conversation) => {
    if (!isEraseDue || isErased) return;
    const found = findErasable(state, conversation, guards);
    emit(`conversation ${conversation} is looked at and erased`, (after) =>
      eraseFound(after, conversation, { found, guards }),
    );
    if (!guards.eraseLocksLine && state.found.length === 0 && found.length > 0)
      emit(`the eraser looks at conversation ${conversation}`, (after) => Object.assign(after, { found }));
  });
  const [first] = state.found;
  if (first === undefined) return;
  emit('the eraser deletes what it found', (after) => {
    eraseFound(after, turnAt(after, first).conversation, { found: after.found, guards });
    after.found = [];
  });
}

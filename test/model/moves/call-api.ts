import { isActive } from '../checkpoint/active.ts';
import { answerCalls } from '../checkpoint/answer-calls.ts';
import { endTurn } from '../checkpoint/end-turn.ts';
import { retryTurn } from '../checkpoint/retry-turn.ts';
import { addJobs, isAnyOwed } from '../jobs.ts';
import { set } from '../set.ts';
import type { Emit, Setting } from '../setting.ts';
import { noRings, type Rings, type State } from '../state.ts';

/** What callers do. Each request is a commit, and a ring after it. */
export function callApi(state: State, setting: Setting, emit: Emit): void {
  const { guards } = setting;
  const { status } = state.turn;
  ringLate(state, setting, emit);
  if (isActive(state.turn) || !guards.endIsLast) {
    const cancel = (after: State) => owe(after, endTurn(after, { status: 'cancelled', run: null }, guards));
    emit('a caller cancels', cancel, 'cancel');
  }
  if (status === 'failed' || !guards.retryOnlyFailed) {
    emit('a caller retries', (after) => owe(after, retryTurn(after, guards)), 'retry');
  }
  answer(state, setting, emit);
  startNext(state, setting, emit);
}

/** `announce.ts`; the API may die before. */
function ringLate({ api }: State, { scene }: Setting, emit: Emit): void {
  if (!isAnyOwed(api)) return;
  emit('the API rings', (after) => {
    addJobs(after, after.api);
    after.api = noRings();
  });
  if (!scene.rescuerOff) emit('the API dies before it rings', (after) => set(after, { api: noRings() }), 'crash');
}

/** A client's output or a person's word; it is counted upon where the call never expires. */
function answer({ turn }: State, { scene, guards }: Setting, emit: Emit): void {
  if (scene.calls !== 'client' && scene.calls !== 'approval') return;
  const isWaiting = turn.other === 'waiting' && !turn.expired;
  const isRefused = turn.step !== 'b1' || !isActive(turn) || (!isWaiting && guards.answerIsFirst);
  if (isRefused) return;
  const as = scene.calls === 'client' ? 'ok' : 'able';
  emit('a caller answers', (after) => owe(after, answerCalls(after, as, guards)), scene.expires ? 'answer' : undefined);
}

/** `create-turn.ts`: another turn of the conversation, behind this one or at once at its head. */
function startNext({ next }: State, { scene }: Setting, emit: Emit): void {
  if (scene.next !== 'comes' || next.place !== 'absent') return;
  emit('a caller starts the next turn', (after) => {
    const isBehind = isActive(after.turn) && after.turn.atHead;
    set(after.next, isBehind ? { place: 'waiting' } : { place: 'head', due: 'far' });
    if (!isBehind) after.api = { ...after.api, next: true };
  });
}

/** Rings that are not made yet: those of an earlier request may still be among them. */
function owe(state: State, rings: Rings | null): void {
  if (!rings) return;
  const { api } = state;
  const { turn, isNow } = rings.turn === 'none' ? api : rings;
  const [failed, ended, next] = [api.failed || rings.failed, api.ended || rings.ended, api.next || rings.next];
  state.api = { turn, isNow, failed, ended, next };
}

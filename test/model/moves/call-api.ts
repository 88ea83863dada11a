import { isActive } from '../checkpoint/active.ts';
import { answerCalls } from '../checkpoint/answer-calls.ts';
import { endTurn } from '../checkpoint/end.ts';
import { retryTurn } from '../checkpoint/retry.ts';
import { addJobs, isAnyDue } from '../jobs.ts';
import { set } from '../set.ts';
import type { Emit, Setting } from '../setting.ts';
import { noWakeups, type State, type Wakeups } from '../state.ts';

/** Emits the requests of callers. Each is a commit, and wakeups enqueued after it. */
export function callApi(state: State, setting: Setting, emit: Emit): void {
  const { guards } = setting;
  const { status } = state.turn;
  enqueueLate(state, setting, emit);
  if (isActive(state.turn) || !guards.endIsFinal) {
    const cancel = (after: State) => setDue(after, endTurn(after, { status: 'cancelled', run: null }, guards));
    emit('a caller cancels', cancel, 'cancel');
  }
  if (status === 'failed' || !guards.retryOnlyFailed) {
    emit('a caller retries', (after) => setDue(after, retryTurn(after, guards)), 'retry');
  }
  answer(state, setting, emit);
  startNext(state, setting, emit);
}

/** Models `publish-changes.ts`. The API may die before it. */
function enqueueLate({ api }: State, { scene }: Setting, emit: Emit): void {
  if (!isAnyDue(api)) return;
  emit('the API enqueues', (after) => {
    addJobs(after, after.api);
    after.api = noWakeups();
  });
  if (!scene.rescuerOff) emit('the API dies before it enqueues', (after) => set(after, { api: noWakeups() }), 'crash');
}

/** Emits a client's output or a person's approval. The answer is certain to arrive if the call never expires. */
function answer({ turn }: State, { scene, guards }: Setting, emit: Emit): void {
  if (scene.calls !== 'client' && scene.calls !== 'approval') return;
  const isWaiting = turn.other === 'waiting' && !turn.expired;
  const isRefused = turn.step !== 'b1' || !isActive(turn) || (!isWaiting && guards.answerIsFirst);
  if (isRefused) return;
  const as = scene.calls === 'client' ? 'ok' : 'able';
  emit(
    'a caller answers',
    (after) => setDue(after, answerCalls(after, as, guards)),
    scene.expires ? 'answer' : undefined,
  );
}

/** Models `create.ts`: another turn of the conversation, after this turn or directly at its head. */
function startNext({ next }: State, { scene }: Setting, emit: Emit): void {
  if (scene.next !== 'comes' || next.status !== 'absent') return;
  emit('a caller starts the next turn', (after) => {
    const isBehind = isActive(after.turn) && after.turn.atHead;
    set(after.next, isBehind ? { status: 'waiting' } : { status: 'head', due: 'far' });
    if (!isBehind) after.api = { ...after.api, next: true };
  });
}

/** Adds wakeups to those of an earlier request that are not enqueued yet. */
function setDue(state: State, wakeups: Wakeups | null): void {
  if (!wakeups) return;
  const { api } = state;
  const { turn, isNow } = wakeups.turn === 'none' ? api : wakeups;
  // A call has no job, so its announcements are not awaited.
  state.api = { turn, isNow, next: api.next || wakeups.next, delivers: false };
}

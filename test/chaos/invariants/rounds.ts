import type { History } from '../history.ts';
import { DYING_MODEL } from '../load/turn-request.ts';

/** Returns turns with rounds other than 1, 2, 3 … without a gap. */
export function gappedRounds({ rows }: Pick<History, 'rows'>): string[] {
  return [...Map.groupBy(rows.rounds, ({ turnId }) => turnId)].flatMap(([turnId, rounds]) => {
    const numbers = rounds.map(({ number }) => number);
    const isContiguous = numbers.every((number, index) => number === index + 1);
    return isContiguous ? [] : [`${turnId} has rounds ${numbers.join(', ')}`];
  });
}

/**
 * Returns turns that sent the model two different histories: all requests of a round must send the same messages, and
 * those of the next round must begin with them.
 */
export function forkedHistories({ modelCalls, batches }: Pick<History, 'modelCalls' | 'batches'>): string[] {
  const calls = [...modelCalls, ...callsByBatch(batches)];
  return [...Map.groupBy(calls, ({ turnId }) => turnId)].flatMap(([turnId, calls]) => {
    const inOrder = calls.toSorted((one, other) => one.round - other.round);
    const fork = inOrder.find((call, index) => index > 0 && !follows(call, inOrder[index - 1]));
    return fork ? [`${turnId} sent the model a different history in round ${fork.round}`] : [];
  });
}

/** Returns turns with a dying first model that did not leave it exactly once. */
export function strayRounds({ rows, plans }: Pick<History, 'rows' | 'plans'>): string[] {
  const dying = new Set(plans.flatMap(({ number, request }) => (request.model === DYING_MODEL ? [number] : [])));
  const roundsOf = Map.groupBy(rows.rounds, ({ turnId }) => turnId);
  const changesOf = Map.groupBy(
    rows.events.filter(({ type }) => type === 'model.changed'),
    ({ turnId }) => turnId,
  );
  return rows.turns.flatMap(({ id, plan }) => {
    if (!dying.has(plan)) return [];
    const rounds = roundsOf.get(id) ?? [];
    const changes = changesOf.get(id)?.length ?? 0;
    const isStray = rounds.some(({ model }) => model === DYING_MODEL) || changes > 1;
    return isStray || (rounds.length > 0 && changes === 0) ? [`${id} changed its model ${changes} times`] : [];
  });
}

type Call = Pick<History['modelCalls'][number], 'turnId' | 'round' | 'messages'>;

/** Returns the requests in batches, on the wires that never change a message later. */
function callsByBatch({ sent, requests }: History['batches']): Call[] {
  const roundOf = new Map(requests.map((request) => [request.id, request]));
  return sent.flatMap(({ api, id, messages }) => {
    const { turnId, round } = roundOf.get(id) ?? {};
    return api !== 'openai' || turnId === undefined || round === undefined ? [] : [{ turnId, round, messages }];
  });
}

function follows(call: Call, before: Call | undefined): boolean {
  if (!before) return true;
  const isSameRound = call.round === before.round;
  if (isSameRound && call.messages.length !== before.messages.length) return false;
  return before.messages.every((message, index) => call.messages[index] === message);
}

import type { ModelCall } from '../../harness/servers/model-recorder.ts';
import type { History } from '../history.ts';

/** Turns with rounds other than 1, 2, 3 … without a gap. */
export function gappedRounds({ rows }: Pick<History, 'rows'>): string[] {
  return [...Map.groupBy(rows.rounds, ({ turnId }) => turnId)].flatMap(([turnId, rounds]) => {
    const numbers = rounds.map(({ number }) => number);
    const isContiguous = numbers.every((number, index) => number === index + 1);
    return isContiguous ? [] : [`${turnId} has rounds ${numbers.join(', ')}`];
  });
}

/**
 * Turns that sent the model two different histories: all requests of a round must send the same messages, and those of
 * the next round must begin with them.
 */
export function forkedHistories({ modelCalls }: Pick<History, 'modelCalls'>): string[] {
  return [...Map.groupBy(modelCalls, ({ turnId }) => turnId)].flatMap(([turnId, calls]) => {
    const inOrder = calls.toSorted((one, other) => one.round - other.round);
    const fork = inOrder.find((call, index) => index > 0 && !follows(call, inOrder[index - 1]));
    return fork ? [`${turnId} sent the model another history in round ${fork.round}`] : [];
  });
}

function follows(call: ModelCall, before: ModelCall | undefined): boolean {
  if (!before) return true;
  const isSameRound = call.round === before.round;
  if (isSameRound && call.messages.length !== before.messages.length) return false;
  return before.messages.every((message, index) => call.messages[index] === message);
}

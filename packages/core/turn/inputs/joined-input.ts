import type { InputItem } from '../request/item.ts';
import type { JoinedInput, Turn } from '../turn.ts';

type Joining = Pick<Turn, 'joined' | 'begunWith'>;

/** What a turn begins with: the input that it was asked with, and what has joined before it was begun (R29). */
export function beginningInput({ input, joined, begunWith }: Joining & Pick<Turn, 'input'>): InputItem[] {
  return joined.length === 0 ? input : [...input, ...contentOf(joined.slice(0, begunWith ?? joined.length))];
}

/** Assigns each input that has joined a turn to the round that first sent it. The other inputs are pending (R29). */
export function placeJoined<R extends { sent: number }>({ joined, begunWith, rounds }: Joining & { rounds: R[] }) {
  const begun = begunWith ?? joined.length;
  const sentBefore = (index: number) => rounds[index - 1]?.sent ?? begun;
  const placed = rounds.map((round, index) => ({
    ...round,
    input: contentOf(joined.slice(sentBefore(index), round.sent)),
  }));
  return { rounds: placed, pendingInput: contentOf(joined.slice(Math.max(begun, sentBefore(rounds.length)))) };
}

/** All that was said to a turn: its items are numbered in this order (contract-responses R23). */
export function wholeInput({
  input,
  rounds,
  pendingInput,
}: Pick<Turn, 'input' | 'rounds' | 'pendingInput'>): InputItem[] {
  return [...input, ...rounds.flatMap((round) => round.input), ...pendingInput];
}

function contentOf(inputs: readonly JoinedInput[]): InputItem[] {
  return inputs.flatMap(({ content }) => content);
}

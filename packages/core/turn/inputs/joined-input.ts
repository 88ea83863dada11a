import type { InputItem } from '../request/item.ts';
import type { JoinedInput, Turn } from '../turn.ts';

type Joining = Pick<Turn, 'joined' | 'inputsAtStart'>;

/** Returns the input that a turn begins with: the requested input, and inputs that joined before its start (R29). */
export function beginningInput({ input, joined, inputsAtStart }: Joining & Pick<Turn, 'input'>): InputItem[] {
  return joined.length === 0 ? input : [...input, ...contentOf(joined.slice(0, inputsAtStart ?? joined.length))];
}

/** Assigns each input that has joined a turn to the round that first sent it. The other inputs are pending (R29). */
export function placeJoined<R extends { inputsSent: number }>({
  joined,
  inputsAtStart,
  rounds,
}: Joining & { rounds: R[] }) {
  const begun = inputsAtStart ?? joined.length;
  const sentBefore = (index: number) => rounds[index - 1]?.inputsSent ?? begun;
  const placed = rounds.map((round, index) => ({
    ...round,
    input: contentOf(joined.slice(sentBefore(index), round.inputsSent)),
  }));
  return { rounds: placed, pendingInput: contentOf(joined.slice(Math.max(begun, sentBefore(rounds.length)))) };
}

/** Returns the turn as it was when only its first `count` inputs had joined. Later inputs stay pending. */
export function withInputs(turn: Turn, count: number): Turn {
  if (turn.joined.length <= count) return turn;
  const joined = turn.joined.slice(0, count);
  return { ...turn, joined, ...placeJoined({ ...turn, joined }) };
}

/** Returns all inputs of a turn. Its items are numbered in this order. */
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

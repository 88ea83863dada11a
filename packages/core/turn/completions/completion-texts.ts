import { refusalStart, textOfRound } from '../responses/output-item.ts';
import type { Round, Turn } from '../turn.ts';

/** The reasoning, the text and the refusal of a reply, as a completion shows them. Null: the model did not refuse. */
export type CompletionTexts = { reasoning: string; text: string; refusal: string | null };

/** Returns the texts of a committed round. */
export function textsOf(turn: Turn, round: Round): CompletionTexts {
  const whole = textOfRound(turn, round);
  const start = refusalStart(round, whole);
  return {
    reasoning: round.reasoning ?? '',
    text: whole.slice(0, start ?? whole.length),
    refusal: start === null ? null : whole.slice(start),
  };
}

/** The separator between texts of two rounds (contract-responses R85). */
export const BETWEEN_ROUNDS = '\n\n';

/** Joins texts of rounds by a blank line. Rounds without text add nothing. */
export function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(BETWEEN_ROUNDS);
}

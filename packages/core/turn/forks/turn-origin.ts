/** The origin of a conversation's first turn, which continues after a round of another turn or repeats that turn. */
export type TurnOrigin =
  | { kind: 'fork'; turnId: string; afterRound: number }
  | { kind: 'rerun'; turnId: string; toolResults: 'reuse' | 'run' };

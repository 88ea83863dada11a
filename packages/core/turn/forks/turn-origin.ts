/** Where the first turn of a conversation comes from: it goes on behind a round of another turn, or runs that turn again. */
export type TurnOrigin =
  | { kind: 'fork'; turnId: string; afterRound: number }
  | { kind: 'rerun'; turnId: string; toolResults: 'reuse' | 'run' };

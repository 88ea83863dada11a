/** The rounds that this worker is streaming now, by turn. */
export type RoundsOnAir = {
  add(turnId: string, round: { catchUp(): void }): Disposable;
  /** Says what there is so far of a turn's running round, for a watcher who came in the middle. */
  catchUp(turnId: string): void;
};

/** Keeps the rounds on air. */
export function makeRoundsOnAir(): RoundsOnAir {
  const rounds = new Map<string, { catchUp(): void }>();

  return {
    add: (turnId, round) => {
      rounds.set(turnId, round);
      return { [Symbol.dispose]: () => void (rounds.get(turnId) === round && rounds.delete(turnId)) };
    },
    catchUp: (turnId) => rounds.get(turnId)?.catchUp(),
  };
}

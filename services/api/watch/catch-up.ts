/** Asks for what was missed of a running round. */
export type CatchUp = { check(): void; close(): void };

const AGAIN_MS = 300;

/** Asks where it is wanted, and once more a moment later if it still is: both the question and its answer may get lost. */
export function makeCatchUp({ isWanted, ask }: { isWanted(): boolean; ask(): void }): CatchUp {
  let again: NodeJS.Timeout | undefined;

  function askAgain(): void {
    again = undefined;
    if (isWanted()) ask();
  }

  return {
    check: () => {
      if (again || !isWanted()) return;
      ask();
      again = setTimeout(askAgain, AGAIN_MS);
    },
    close: () => clearTimeout(again),
  };
}

/** Makes work run when called, never twice at a time; calls that come while it runs make it run once more after. */
export function coalesce(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWantedAgain = false;

  async function run(): Promise<void> {
    do {
      isWantedAgain = false;
      await work();
    } while (isWantedAgain);
    isRunning = false;
  }

  return () => {
    isWantedAgain = true;
    if (isRunning) return;
    isRunning = true;
    void run();
  };
}

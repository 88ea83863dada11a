import type { TestContext } from 'vitest';

type Use = { onCleanup(close: () => Promise<void>): void };

/** Makes a fixture: opens something for each test that takes it, and closes it after the test. */
export function opening<Opened extends AsyncDisposable>(open: () => Promise<Opened>) {
  // Vitest reads from this pattern which fixtures this one needs: none.
  return async ({ task: _ }: Pick<TestContext, 'task'>, { onCleanup }: Use): Promise<Opened> => {
    const opened = await open();
    onCleanup(async () => opened[Symbol.asyncDispose]());
    return opened;
  };
}

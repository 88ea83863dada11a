import type { TestContext } from 'vitest';

type Use = { onCleanup(close: () => Promise<void>): void };

/** Makes a fixture: opens it for each test that takes it, and closes it after the test. */
export function opening<Opened extends AsyncDisposable>(open: () => Promise<Opened>) {
  // Vitest reads from this pattern that this fixture needs no others.
  return async ({ task: _ }: Pick<TestContext, 'task'>, { onCleanup }: Use): Promise<Opened> => {
    const opened = await open();
    onCleanup(async () => opened[Symbol.asyncDispose]());
    return opened;
  };
}

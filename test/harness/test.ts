import { test as base } from 'vitest';
import { createHarness, type HarnessOptions, startBackgroundWorker } from './create-harness.ts';
import { opening } from './opening.ts';
import { openExternalServer } from './servers/external-server.ts';
import { openToolRecorder } from './servers/tool-recorder.ts';

/**
 * A test that may take a `harness`, its `worker` in the background, a `receiver` of webhooks and a `recorder` of tool
 * calls. Each is closed after the test.
 */
export const test = base
  .extend('options', (): HarnessOptions => ({}))
  .extend('harness', async ({ options }, { onCleanup }) => {
    const harness = await createHarness(options);
    onCleanup(() => harness[Symbol.asyncDispose]());
    return harness;
  })
  .extend('worker', async ({ harness }, { onCleanup }) => {
    const worker = await startBackgroundWorker(harness);
    onCleanup(() => worker.close(0));
    return worker;
  })
  .extend('receiver', opening(openExternalServer))
  .extend('recorder', opening(openToolRecorder));

/**
 * Makes a test with options for its harness. Never use `test.override`: files of one process share `test`, and it
 * would affect them.
 */
export const testWith = (options: HarnessOptions) => test.extend('options', () => options);

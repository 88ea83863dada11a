import type { RunningResponse } from '../turn/background/background.ts';

/** A request that Pawl itself has interrupted. It is no failure of the provider. */
export class Interrupted extends Error {}

/** A request in the background leaves its response, which its server still works on. */
export class StillRunning extends Interrupted {
  readonly response: RunningResponse;

  constructor(response: RunningResponse) {
    super('the response is still running');
    this.response = response;
  }
}

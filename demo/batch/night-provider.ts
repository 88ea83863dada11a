import { Failure } from '#core/failure.ts';
import type { BatchRequest } from '#simulator/batches/batch-request.ts';
import { startSimulator } from '#simulator/start-simulator.ts';
import type { DemoRun } from '../run-to-end.ts';
import { MODEL } from './shop-reports.ts';

/** A request about batches, with the name of its worker. */
export type SeenRequest = Pick<BatchRequest, 'act'> & { worker: string };

/** The simulated provider of the night's model. It runs in the process of the demo, so no kill affects its batches. */
export type NightProvider = {
  /** Returns the settings by which a part of Pawl finds the provider. */
  settingsOf(partName: string): Record<string, string>;
  /** The requests of each batch that was created. */
  created(): { id: string; sent: unknown }[][];
  /** The requests to the model that were sent without a batch. */
  direct(): number;
  /** Calls `listener` before the effect of each request about batches. The answer waits for `listener`. */
  onRequest(listener: (request: SeenRequest) => Promise<void>): void;
};

const WORKER = 'x-demo-worker';
const DELAY_MS = 3_000;

/** Starts the provider. A failure of the listener ends the run. */
export async function startNightProvider(run: DemoRun): Promise<NightProvider> {
  let listener: (request: SeenRequest) => Promise<void> = async () => {};
  let direct = 0;
  const { baseUrl, batches, stop } = await startSimulator({
    batchLimits: { delayMs: DELAY_MS },
    onRequest: () => {
      direct += 1;
    },
    onBatchRequest: ({ act, headers }) =>
      listener({ act, worker: String(headers[WORKER]) }).catch((error: Error) =>
        run.giveUp(new Failure('watch_failed', `The demo could not follow a batch. ${error.message}`)),
      ),
  });
  run.atTheEnd(stop);
  const [name = ''] = MODEL.split('/');
  const server = { kind: 'openai', base_url: baseUrl, api_key: 'none' };
  return {
    settingsOf: (partName) => ({
      PAWL_PROVIDERS: JSON.stringify({ [name]: { ...server, headers: { [WORKER]: partName } } }),
    }),
    created: () => batches.created.map(({ requests }) => requests),
    direct: () => direct,
    onRequest: (next) => {
      listener = next;
    },
  };
}

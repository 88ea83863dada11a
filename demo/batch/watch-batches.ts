import { styleText } from 'node:util';
import { type BatchPage, connectPawl } from 'pawl/client';
import type { Screen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import { BATCH_LEASE_MS } from '#services/worker/batches/hold-batch.ts';
import { paintWorker } from '../paint-worker.ts';
import type { Part } from '../start-part.ts';
import type { Pawl } from '../start-pawl.ts';
import type { NightProvider, SeenRequest } from './night-provider.ts';
import { SHOPS } from './shop-reports.ts';

const DOT_EVERY_MS = 5_000;

/** The observed batches. `killed` is the worker that was killed, and `finder` the worker that found its batch. */
export type Watch = { killed: Part | null; finder: string | null; stopWaiting(): void };

/** Shows the batches as their provider sees them. Kills a worker while it sends a batch, later than the first. */
export function watchBatches(provider: NightProvider, pawl: Pawl, screen: Screen): Watch {
  const client = connectPawl({ baseUrl: pawl.url });
  const watch: Watch = { killed: null, finder: null, stopWaiting: () => {} };

  async function showCreate(worker: string): Promise<void> {
    const page = await client.batches();
    const asked = page.data.find(({ state }) => state === 'asked');
    const number = provider.created().length + 1;
    screen.say(`${paintWorker(worker)} sends batch ${number} with ${asked?.requests ?? 0} rounds`);
    if (watch.killed || number === 1 || waitingRounds(page) !== SHOPS.length) return;
    watch.killed = partOf(worker, pawl);
    await watch.killed.kill();
    watch.stopWaiting = showKill(watch.killed, number, screen);
  }

  provider.onRequest(async ({ act, worker }: SeenRequest) => {
    if (act === 'create') await showCreate(worker);
    if (act === 'results') screen.say(`${paintWorker(worker)} reads the results, and the turns continue`);
    if (act !== 'list' || watch.finder) return;
    watch.stopWaiting();
    watch.finder = worker;
    screen.say(`${paintWorker(worker)} finds the batch in the list of the provider`);
  });
  return watch;
}

/** Returns how many rounds wait. If each turn waits, no tool runs that the kill could stop. */
function waitingRounds({ data, waiting }: BatchPage): number {
  const sent = data.reduce((sum, { requests, answered }) => sum + requests - answered, 0);
  return waiting.reduce((sum, { requests }) => sum + requests, sent);
}

function partOf(worker: string, { workers }: Pawl): Part {
  const part = workers.find(({ name }) => name === worker);
  if (!part) throw new Failure('no_worker_to_kill', `${worker} is not a worker that the demo started.`);
  return part;
}

/** Explains the kill, and returns a function that ends the waiting dots. */
function showKill({ name, pid }: Part, number: number, screen: Screen): () => void {
  screen.say(styleText('red', `✗ SIGKILL: ${name} (pid ${pid}) is dead, while it sends batch ${number}`));
  screen.add('The provider creates the batch, but the answer with its id is lost.');
  screen.add('A second request would create and bill a second batch.');
  screen.add(`The dead worker’s lease on the batch ends ${BATCH_LEASE_MS / 1000} s after its last renewal.`);
  const extend = screen.begin('Then the other worker takes over. Waiting');
  const timer = setInterval(() => extend(' ·'), DOT_EVERY_MS);
  return () => clearInterval(timer);
}

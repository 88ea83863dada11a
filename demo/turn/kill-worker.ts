import { styleText } from 'node:util';
import type { TurnHandle } from 'pawl/client';
import type { Screen } from '#cli/screen.ts';
import { Failure } from '#core/failure.ts';
import { timing } from '#core/turn/timing.ts';
import type { Part } from '../start-part.ts';
import type { Pawl } from '../start-pawl.ts';

const DOT_EVERY_MS = 500;

/** The killed worker, and a function that ends the waiting dots. */
export type Killed = { worker: Part; stopWaiting(): void };

/** Kills the worker of a round with SIGKILL, and shows the checkpoints of its work. */
export async function killWorker(
  round: number,
  { workers, steps }: Pawl,
  { turn, screen }: { turn: TurnHandle; screen: Screen },
): Promise<Killed> {
  const name = await steps.workerOf({ kind: 'round', round });
  const worker = workers.find((candidate) => candidate.name === name);
  if (!worker) throw new Failure('no_worker_to_kill', `${name} is not one of the workers that the demo started.`);

  await worker.kill();
  screen.gap();
  screen.say(
    styleText('red', `✗ SIGKILL: ${worker.name} (pid ${worker.pid}) is dead, in the middle of round ${round}`),
  );
  const { rounds } = await turn.get();
  const results = rounds.flatMap((stored) => stored.results).filter(({ status }) => status === 'success');
  screen.add('Only half a sentence is lost. PostgreSQL has');
  const last = rounds.at(-1)?.tool_calls.map(({ name }) => name);
  screen.add(`${rounds.length} rounds and ${results.length} tool results, the last from ${last?.join(', ')}.`);
  screen.add(`The dead worker’s lease on round ${round} ends ${timing.leaseMs / 1000} s after its last heartbeat.`);
  const extend = screen.begin('Then the other worker takes over. Waiting');
  const timer = setInterval(() => extend(' ·'), DOT_EVERY_MS);
  return { worker, stopWaiting: () => clearInterval(timer) };
}

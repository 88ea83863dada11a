import type { Turn, TurnEvent, TurnHandle } from 'pawl/client';
import type { Screen } from '#cli/screen.ts';
import { showEvents } from '#cli/show-events.ts';
import { Failure } from '#core/failure.ts';
import { paintWorker } from '../paint-worker.ts';
import type { DemoRun } from '../run-to-end.ts';
import type { Pawl } from '../start-pawl.ts';
import type { Step } from '../step-log.ts';
import { type Killed, killWorker } from './kill-worker.ts';
import { HALF_OF_KILLED_ROUND, KILLED_ROUND } from './travel-request.ts';

/** The observed turn: its end, the numbers of its durable events in order of arrival, and the killed worker. */
export type Seen = { turn: Turn; eventNumbers: number[]; killed: Part };
type Part = Killed['worker'];

/** Shows a turn from its stream, and kills a worker half-way through a round. */
export async function watchTurn(
  turn: TurnHandle,
  pawl: Pawl,
  { screen, run }: { screen: Screen; run: DemoRun },
): Promise<Seen> {
  let worker = '';
  const view = showEvents(screen, () => paintWorker(worker));
  const eventNumbers: number[] = [];
  let killed: Killed | undefined;
  let ended: Turn | undefined;
  run.atTheEnd(() => killed?.stopWaiting());

  for await (const event of turn.events({ signal: run.signal })) {
    if ('sequence_number' in event) eventNumbers.push(event.sequence_number);
    if (killed && showsLife(event)) killed.stopWaiting();
    const step = stepOf(event);
    if (step) worker = await pawl.steps.workerOf(step);
    view.show(event);
    if ('turn' in event) ended = event.turn;
    if (killed || !isHalfWay(event)) continue;
    view.breakOff();
    killed = await killWorker(KILLED_ROUND, pawl, { turn, screen });
  }

  if (!ended) throw new Failure('stream_ended', 'The event stream ended before the turn did.');
  if (!killed)
    throw new Failure('no_worker_killed', `Round ${KILLED_ROUND} was over before its worker could be killed.`);
  return { turn: ended, eventNumbers, killed: killed.worker };
}

/** Returns the step that an event reports as running. */
function stepOf(event: TurnEvent): Step | null {
  switch (event.type) {
    case 'round.started':
      return { kind: 'round', round: event.round, attempt: event.attempt };
    case 'tool_call.started':
    case 'tool_call.completed':
      return { kind: 'batch', round: event.round };
    default:
      return null;
  }
}

/** Returns whether an event shows that work continues. Late deltas of the killed attempt do not. */
function showsLife(event: TurnEvent): boolean {
  return !('attempt' in event) || event.attempt > 1;
}

function isHalfWay(event: TurnEvent): boolean {
  const isText = event.type === 'output_text.delta' && event.round === KILLED_ROUND;
  return isText && event.offset + event.delta.length >= HALF_OF_KILLED_ROUND;
}

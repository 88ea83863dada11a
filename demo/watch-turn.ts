import type { Turn, TurnEvent, TurnHandle } from 'pawl/client';
import type { Screen } from '#cli/screen.ts';
import { showEvents } from '#cli/show-events.ts';
import { Failure } from '#core/failure.ts';
import { type Killed, killWorker } from './kill-worker.ts';
import { paintWorker } from './paint-worker.ts';
import type { Stage } from './run-to-the-end.ts';
import type { Pawl } from './start-pawl.ts';
import { HALF_OF_KILLED_ROUND, KILLED_ROUND } from './travel-request.ts';

/** What was seen of a turn: how it ended, the numbers of its durable events as they came, and who was killed. */
export type Seen = { turn: Turn; eventNumbers: number[]; killed: Part };
type Part = Killed['worker'];

/** Shows a turn from its stream, and kills a worker half-way through one of its rounds. */
export async function watchTurn(
  turn: TurnHandle,
  pawl: Pawl,
  { screen, stage }: { screen: Screen; stage: Stage },
): Promise<Seen> {
  const view = showEvents(screen, (kind, round) => paintWorker(pawl.steps.workerOn(kind, round)?.name));
  const eventNumbers: number[] = [];
  let killed: Killed | undefined;
  let ended: Turn | undefined;
  stage.atTheEnd(() => killed?.stopWaiting());

  for await (const event of turn.events({ signal: stage.signal })) {
    if ('sequence_number' in event) eventNumbers.push(event.sequence_number);
    if (killed && showsLife(event)) killed.stopWaiting();
    view.show(event);
    if ('turn' in event) ended = event.turn;
    if (killed || !isHalfWay(event)) continue;
    view.breakOff();
    killed = await killWorker(KILLED_ROUND, pawl, { turn, screen });
  }

  if (!ended) throw new Failure('stream_ended', 'The event stream ended before the turn did.');
  if (!killed) throw new Failure('nobody_killed', `Round ${KILLED_ROUND} was over before its worker could be killed.`);
  return { turn: ended, eventNumbers, killed: killed.worker };
}

/** Pieces of the killed try that were still on their way show none. */
function showsLife(event: TurnEvent): boolean {
  return !('attempt' in event) || event.attempt > 1;
}

function isHalfWay(event: TurnEvent): boolean {
  const isText = event.type === 'output_text.delta' && event.round === KILLED_ROUND;
  return isText && event.offset + event.delta.length >= HALF_OF_KILLED_ROUND;
}

import type { Api } from './ask.ts';
import type { EventOptions, TurnEvent } from './connect-pawl.ts';
import { makePatience, PATIENCE_MS } from './patience.ts';
import { readEvents } from './read-events.ts';
import { tellWholeText } from './tell-whole-text.ts';

const HEADERS = { accept: 'text/event-stream' };

/** A turn's events to its end, over as many connections as it takes. */
export async function* followEvents(
  api: Api,
  path: string,
  { after = 0, signal, patienceMs = api.patienceMs ?? PATIENCE_MS.watch, connected }: EventOptions = {},
): AsyncGenerator<TurnEvent, void, undefined> {
  const patience = makePatience({ patienceMs, signal });
  const told: Told = { last: after, isOver: false, whole: tellWholeText() };
  const link = watchLink(connected);
  const connect = () =>
    api.exchange({ path, query: { after: told.last }, headers: HEADERS, signal }, async (response) => {
      link.set(true);
      return response;
    });
  for (;;) {
    const failure = yield* tellOn(told, connect, patience.renew);
    if (told.isOver) return;
    signal?.throwIfAborted();
    await patience.wait(failure, () => failure !== undefined && link.set(false));
  }
}

/** Tells of changes only: a server that is away is asked again and again. */
function watchLink(connected: EventOptions['connected']) {
  let isConnected = true;
  return {
    set: (now: boolean) => {
      if (now !== isConnected) connected?.(now);
      isConnected = now;
    },
  };
}

/** What was told already, over all connections. */
type Told = { last: number; isOver: boolean; whole: ReturnType<typeof tellWholeText> };

/** Tells what one connection brings; returns the failure where there was none to be had. */
async function* tellOn(
  told: Told,
  connect: () => Promise<Response>,
  heard: () => void,
): AsyncGenerator<TurnEvent, unknown, undefined> {
  try {
    const { status, body } = await connect();
    told.isOver = status === 204;
    for await (const event of body ? readEvents(body, { heard }) : []) {
      if (!isNew(event, told)) continue;
      yield* told.whole(event);
      told.isOver = isLast(event);
      if (told.isOver) return;
    }
  } catch (failure) {
    return failure;
  }
}

/** Takes the number of a durable event; false for one that was told before. */
function isNew(event: TurnEvent, told: Told): boolean {
  if (!('sequence_number' in event)) return true;
  if (event.sequence_number <= told.last) return false;
  told.last = event.sequence_number;
  return true;
}

/** After `turn.failed` more may come, if the turn was retried: whether it did is for the server to say. */
function isLast({ type }: TurnEvent): boolean {
  return type === 'turn.completed' || type === 'turn.incomplete' || type === 'turn.cancelled';
}

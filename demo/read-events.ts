import { Failure } from '#core/failure.ts';
import { TurnEvent } from './turn-event.ts';

/** One event of a stream; `number` is null for a live one, `event` undefined where the demo does not show its kind. */
export type Received = { number: number | null; event: TurnEvent | undefined };

/** Follows the server-sent events of a turn until the server closes. */
export async function* readEvents(turnUrl: string, signal: AbortSignal): AsyncGenerator<Received> {
  const response = await fetch(`${turnUrl}/events`, { headers: { accept: 'text/event-stream' }, signal });
  if (!response.ok || !response.body)
    throw new Failure('no_stream', `The event stream was answered ${response.status}.`);
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (text + piece).split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) if (frame.includes('data:')) yield readFrame(frame);
  }
}

function readFrame(frame: string): Received {
  const id = /^id: ?(\d+)$/m.exec(frame)?.[1];
  const data: unknown = JSON.parse(/^data: ?(.*)$/m.exec(frame)?.[1] ?? 'null');
  return { number: id === undefined ? null : Number(id), event: TurnEvent.safeParse(data).data };
}

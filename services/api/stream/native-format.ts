import { presentEvent, presentLiveEvent } from '#core/turn/resource/event.ts';
import type { StreamFormat } from './format.ts';

/** Server-sent events in the words of Pawl's own API (contract: Events). The stream ends without a message. */
export const nativeFormat: StreamFormat = {
  headers: {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  },
  resumeAfter: ({ header }) => {
    // Browsers may send the header without a value before they have received any event.
    const id = header('last-event-id');
    return id ? Number(id) : undefined;
  },
  durableEvent: (turn, event) =>
    `event: ${event.type}\nid: ${event.number}\ndata: ${JSON.stringify(presentEvent(turn, event))}\n\n`,
  liveEvent: (event) => `event: ${event.type}\ndata: ${JSON.stringify(presentLiveEvent(event))}\n\n`,
  heartbeat: ':\n\n',
  end: '',
  // A client that reconnects is refused by the route.
  refusal: () => '',
};

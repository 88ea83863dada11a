import { z } from 'zod';
import { Event } from './event.ts';
import { LiveEvent } from './live-event.ts';

/** What a stream tells: durable events, and live ones in between. */
export const StreamedEvent = z
  .discriminatedUnion('type', [Event, LiveEvent])
  .meta({ id: 'StreamedEvent', description: 'An event as a stream tells it: the `data` of one message.' });

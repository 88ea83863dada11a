import type { LiveEvent } from '#core/turn/event.ts';
import type { HostedCall } from '#core/turn/hosted/hosted.ts';

/** A live event about a hosted call: its start, or its end. */
export type HostedEvent = Extract<LiveEvent, { hosted_call: HostedCall }>;

/** The events about hosted calls without gaps from the first event, and the events that arrived too early. */
export type GrowingCalls = { events: HostedEvent[]; early: HostedEvent[] };

/** The number of early events to keep. If more are missing, all events are requested anyway. */
const EARLY_LIMIT = 64;

/** Puts an event at its index. A known event is ignored, and an early event waits for its turn. */
export function insertCall({ events, early }: GrowingCalls, event: HostedEvent): GrowingCalls {
  const index = indexOf(event) ?? events.length;
  if (index < events.length) return { events, early };
  if (index > events.length) return { events, early: [...early, event].slice(-EARLY_LIMIT) };
  const rest = early.filter((one) => indexOf(one) !== index);
  const next = rest.find((one) => indexOf(one) === index + 1);
  const known = { events: [...events, event], early: rest };
  return next ? insertCall(known, next) : known;
}

function indexOf({ hosted_index: index }: HostedEvent): number | undefined {
  return index;
}

/**
 * Returns the calls of these events in the order of their starts, each in its latest state. A call with a cut end is
 * open until its round is saved, since a stream sends the whole end of a call.
 */
export function hostedCallsOf({ events }: GrowingCalls): HostedCall[] {
  return [...new Map(events.map((event) => [event.hosted_call.id, callOf(event)])).values()];
}

function callOf({ hosted_call: call, hosted_cut: isCut }: HostedEvent): HostedCall {
  return isCut ? { ...call, status: 'in_progress' } : call;
}

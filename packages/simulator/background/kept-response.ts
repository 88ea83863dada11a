import type { SimulatedReply } from '../reply.ts';
import { renderStep, type Step } from '../responses/item-steps.ts';
import { begunResponse, type ResponseMeta, type ResponseObject, responseObject } from '../responses/response-object.ts';
import { type EventLog, makeEventLog } from './event-log.ts';
import { makeWaits, type Waits } from './waits.ts';

/** A response that the server keeps. Times are milliseconds since 1970. */
export type KeptResponse = {
  id: string;
  /** The `x-client-request-id` of its create, or null. */
  createdBy: string | null;
  createdAt: number;
  /** Null while the server produces it. */
  endedAt: number | null;
  isBackground: boolean;
  isStored: boolean;
  isStream: boolean;
  /** Whether the server offers its stream again. */
  isOffered: boolean;
  /** The response as of now. */
  state: ResponseObject;
  log: EventLog;
  waits: Waits;
};

/** Begins a background response in the status `queued`. */
export function beginResponse(meta: ResponseMeta, createdBy: string | null, isOffered: boolean): KeptResponse {
  const queued = begunResponse(meta, 'queued');
  const kept = { ...keptAs(meta, createdBy, queued), isOffered };
  advanceResponse(kept, { state: queued, steps: [stepOf('created', queued), stepOf('queued', queued)] });
  return kept;
}

/** Keeps a response that ended with the answer to its create. */
export function endedResponse(reply: SimulatedReply, meta: ResponseMeta, createdBy: string | null): KeptResponse {
  return { ...keptAs(meta, createdBy, responseObject(reply, meta)), endedAt: Date.now() };
}

/** Changes the state of a response and logs its events, if the response streams. */
export function advanceResponse(kept: KeptResponse, { state, steps }: { state: ResponseObject; steps: Step[] }): void {
  kept.state = state;
  if (!kept.isStream) return;
  const first = kept.log.length();
  const events = steps.map((step, index) => {
    const number = first + index;
    return { number, type: step.type, text: renderStep(step, number), chars: step.text?.length ?? 0 };
  });
  kept.log.append(events);
}

/** Ends a response with its terminal event, and stops its production. */
export function endResponse(kept: KeptResponse, state: ResponseObject): void {
  kept.endedAt = Date.now();
  advanceResponse(kept, { state, steps: [stepOf(state.status, state)] });
  kept.waits.stop();
  kept.log.end('ended');
}

/** Ends a response without a terminal event, and stops its production. */
export function loseResponse(kept: KeptResponse): void {
  kept.waits.stop();
  kept.log.end('lost');
}

/** Returns the event that reports a status of a response. */
export function stepOf(name: string, response: ResponseObject): Step {
  return { type: `response.${name}`, fields: { response } };
}

function keptAs({ request }: ResponseMeta, createdBy: string | null, state: ResponseObject): KeptResponse {
  return {
    id: String(state.id),
    createdBy,
    createdAt: Date.now(),
    endedAt: null,
    isBackground: request.background === true,
    isStored: request.store !== false,
    isStream: request.stream === true,
    isOffered: true,
    state,
    log: makeEventLog(),
    waits: makeWaits(),
  };
}

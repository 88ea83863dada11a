import { createHash } from 'node:crypto';
import type { ResponseRequest } from '#simulator/background/response-request.ts';
import { type ReceivedRequest, startSimulator } from '#simulator/start-simulator.ts';

/** The attempt that a request belongs to. */
type Attempt = { turnId: string; round: number; generation: number };

/** One request that reached the model. `messages` are fingerprints of its messages or items, in order. */
export type ModelCall = Attempt & {
  at: number;
  model: string;
  /** The service tier that it names, or null. */
  tier: string | null;
  messages: string[];
};

/** One request to read, follow, cancel or delete a response, with the attempt that created the response. */
export type ResponseCall = Attempt & { at: number; kind: ResponseRequest['kind']; responseId: string };

/** One request of a batch that the model has created. */
export type BatchedRequest = { batchId: string; api: string; id: string; messages: string[] };

/**
 * The recorded requests. `keptIds` returns the ids of the responses that the model keeps, and `batched` the requests
 * of all batches, except refused batches.
 */
export type ModelRecorder = AsyncDisposable & {
  baseUrl: string;
  calls: ModelCall[];
  responseCalls: ResponseCall[];
  keptIds(): string[];
  batched(): BatchedRequest[];
};

/** A run creates fewer batches. */
const MOST_BATCHES = 100_000;

export async function openModelRecorder(): Promise<ModelRecorder> {
  const calls: ModelCall[] = [];
  const responseCalls: ResponseCall[] = [];
  const simulator = await startSimulator({
    batchLimits: { maxKept: MOST_BATCHES },
    onRequest: (request) => void calls.push(readCall(request)),
    onResponseRequest: ({ kind, id, createdBy }) =>
      void responseCalls.push({ at: Date.now(), ...attemptOf(createdBy), kind, responseId: id }),
  });
  const keptIds = () => simulator.responses.list().map(({ id }) => id);
  const batched = () =>
    simulator.batches.created.flatMap(({ id: batchId, api, requests }) =>
      requests.map(({ id, sent }) => ({ batchId, api, id, messages: itemsOf(sent) })),
    );
  const { baseUrl } = simulator;
  return { baseUrl, calls, responseCalls, keptIds, batched, [Symbol.asyncDispose]: simulator.stop };
}

function readCall({ path, headers, body, sent }: ReceivedRequest): ModelCall {
  // The other wires change a message later, for example its cache marks.
  const messages = path.startsWith('/v1/chat') || Array.isArray(sent.input) ? itemsOf(sent) : itemsOf(body);
  const { model, service_tier: tier = null } = body;
  return { at: Date.now(), ...attemptOf(headers['x-client-request-id']), model, tier, messages };
}

/** Returns the fingerprints of the messages or items of a request, on each wire. */
function itemsOf(sent: unknown): string[] {
  const { messages, input, contents } = sent as Record<string, unknown[] | undefined>;
  return (messages ?? input ?? contents ?? []).map((item) => fingerprint(JSON.stringify(item)));
}

/** Reads the attempt of a request. Pawl names each attempt `<turn>.<round>.<generation>`. */
function attemptOf(name: unknown): Attempt {
  const [turnId = '', round, generation] = String(name).split('.');
  return { turnId, round: Number(round), generation: Number(generation) };
}

function fingerprint(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 12);
}

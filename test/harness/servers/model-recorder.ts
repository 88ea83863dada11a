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

/** The recorded requests. `keptIds` returns the ids of the responses that the model keeps. */
export type ModelRecorder = AsyncDisposable & {
  baseUrl: string;
  calls: ModelCall[];
  responseCalls: ResponseCall[];
  keptIds(): string[];
};

export async function openModelRecorder(): Promise<ModelRecorder> {
  const calls: ModelCall[] = [];
  const responseCalls: ResponseCall[] = [];
  const simulator = await startSimulator({
    onRequest: (request) => void calls.push(readCall(request)),
    onResponseRequest: ({ kind, id, createdBy }) =>
      void responseCalls.push({ at: Date.now(), ...attemptOf(createdBy), kind, responseId: id }),
  });
  const keptIds = () => simulator.responses.list().map(({ id }) => id);
  return { baseUrl: simulator.baseUrl, calls, responseCalls, keptIds, [Symbol.asyncDispose]: simulator.stop };
}

function readCall({ headers, body, sent }: ReceivedRequest): ModelCall {
  const items = Array.isArray(sent.input) ? sent.input : body.messages;
  const messages = items.map((item) => fingerprint(JSON.stringify(item)));
  const { model, service_tier: tier = null } = body;
  return { at: Date.now(), ...attemptOf(headers['x-client-request-id']), model, tier, messages };
}

/** Reads the attempt of a request. Pawl names each attempt `<turn>.<round>.<generation>`. */
function attemptOf(name: unknown): Attempt {
  const [turnId = '', round, generation] = String(name).split('.');
  return { turnId, round: Number(round), generation: Number(generation) };
}

function fingerprint(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 12);
}

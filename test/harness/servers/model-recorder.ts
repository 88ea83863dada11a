import { createHash } from 'node:crypto';
import { type ReceivedRequest, startSimulator } from '#simulator/start-simulator.ts';

/** One request that reached the model. `messages` are fingerprints of its messages or items, in order. */
export type ModelCall = {
  at: number;
  turnId: string;
  round: number;
  generation: number;
  model: string;
  /** The service tier that it names, or null. */
  tier: string | null;
  messages: string[];
};

export type ModelRecorder = AsyncDisposable & { baseUrl: string; calls: ModelCall[] };

export async function openModelRecorder(): Promise<ModelRecorder> {
  const calls: ModelCall[] = [];
  const simulator = await startSimulator({ onRequest: (request) => void calls.push(readCall(request)) });
  return { baseUrl: simulator.baseUrl, calls, [Symbol.asyncDispose]: simulator.stop };
}

/** Reads a request. Pawl names each attempt `<turn>.<round>.<generation>`. */
function readCall({ headers, body, sent }: ReceivedRequest): ModelCall {
  const [turnId = '', round, generation] = String(headers['x-client-request-id']).split('.');
  const items = Array.isArray(sent.input) ? sent.input : body.messages;
  const messages = items.map((item) => fingerprint(JSON.stringify(item)));
  const { model, service_tier: tier = null } = body;
  const address = { turnId, round: Number(round), generation: Number(generation) };
  return { at: Date.now(), ...address, model, tier, messages };
}

function fingerprint(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 12);
}

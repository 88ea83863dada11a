import { createHash } from 'node:crypto';
import type { AskedRequest } from '#simulator/answer-chat.ts';
import { startSimulator } from '#simulator/start-simulator.ts';

/** One question that reached the model; `messages` are fingerprints of what it was shown, in order. */
export type ModelCall = { at: number; turnId: string; round: number; ring: number; messages: string[] };

/** The simulated model, and all it was asked. */
export type ModelWitness = AsyncDisposable & { baseUrl: string; calls: ModelCall[] };

/** Starts the model. */
export async function openModelWitness(): Promise<ModelWitness> {
  const calls: ModelCall[] = [];
  const simulator = await startSimulator({ onRequest: (asked) => void calls.push(readCall(asked)) });
  return { baseUrl: simulator.baseUrl, calls, [Symbol.asyncDispose]: simulator.stop };
}

/** Pawl names each try `<turn>.<round>.<ring>`. */
function readCall({ headers, body }: AskedRequest): ModelCall {
  const [turnId = '', round, ring] = String(headers['x-client-request-id']).split('.');
  const messages = body.messages.map((message) => fingerprint(JSON.stringify(message)));
  return { at: Date.now(), turnId, round: Number(round), ring: Number(ring), messages };
}

function fingerprint(text: string): string {
  return createHash('sha1').update(text).digest('base64url').slice(0, 12);
}

import { createHash } from 'node:crypto';

/** The provider and the model that receive a request. */
export type Receiver = { provider: string; model: string };

const MISTRALS = /mistral|ministral|mixtral|magistral|codestral|devstral|pixtral|voxtral/i;

/** Returns whether a model is Mistral's, on any host. Its ids have exactly nine letters and digits. */
export function isMistral({ provider, model }: Receiver): boolean {
  return MISTRALS.test(`${provider}/${model}`);
}

/**
 * Returns the function that makes ids for a receiver. An id that OpenAI (40 characters) or Mistral (nine) refuses
 * becomes a part of its hash.
 */
export function wireIdFor(receiver: Receiver): (id: string) => string {
  return isMistral(receiver) ? nineCharacters : fortyCharacters;
}

function fortyCharacters(id: string): string {
  return /^[a-zA-Z0-9_-]{1,40}$/.test(id) ? id : `call_${hash(id).slice(0, 32)}`;
}

function nineCharacters(id: string): string {
  return /^[a-zA-Z0-9]{9}$/.test(id) ? id : hash(id).slice(0, 9);
}

function hash(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

import { createHash } from 'node:crypto';
import type { AgentLabel } from './agent.ts';

/**
 * Returns the version that a label names for a conversation. With weights, a hash of the conversation's id decides, so
 * all its turns get the same version while the weights stay.
 */
export function chooseVersion(label: AgentLabel, conversationId: string): number {
  if ('version' in label) return label.version;
  const weights = Object.entries(label.versions).map(([version, weight]) => ({ version: Number(version), weight }));
  const sum = weights.reduce((total, { weight }) => total + weight, 0);
  let left = placeOf(conversationId) * sum;
  for (const { version, weight } of weights) {
    left -= weight;
    if (left < 0) return version;
  }
  return weights.at(-1)?.version ?? 1;
}

const BITS = 48;

/** Returns the place of a conversation among all, from 0 to below 1. */
function placeOf(conversationId: string): number {
  const hash = createHash('sha256').update(conversationId).digest();
  return hash.readUIntBE(0, BITS / 8) / 2 ** BITS;
}

import { createHash } from 'node:crypto';

/**
 * Returns every `size`-th point of a reference on average, chosen by name: the same points in each run, independent of
 * the other points.
 */
export function samplePoints(points: string[], reference: string, size: number): string[] {
  return points.filter((point) => hashOf(`${reference}: ${point}`) % size === 0);
}

/** Returns the queue on which a sample plays a reference. The references are spread over the queues. */
export function sampleQueue(reference: string, queues: number): number {
  return hashOf(reference) % queues;
}

function hashOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

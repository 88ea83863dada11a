import { createHash } from 'node:crypto';

/** One in `size` of a reference's points, chosen by name: the same points in each run, whatever else the run crosses. */
export function samplePoints(points: string[], reference: string, size: number): string[] {
  return points.filter((point) => hashOf(`${reference}: ${point}`) % size === 0);
}

/** The queue on which a sample plays a reference, of so many. The other references are played on the others. */
export function sampleQueue(reference: string, queues: number): number {
  return hashOf(reference) % queues;
}

function hashOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

import { createHash } from 'node:crypto';

/** One in `size` of a reference's points, chosen by name: the same points in each run, whatever else the run crosses. */
export function samplePoints(points: string[], reference: string, size: number): string[] {
  return points.filter((point) => hashOf(`${reference}: ${point}`) % size === 0);
}

function hashOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

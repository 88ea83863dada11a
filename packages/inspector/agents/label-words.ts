import type { Agent } from '../base/turn.ts';

export type Label = Agent['labels'][string];

/** Returns the versions of a label with their weights. A label with one version has the weight 1. */
export function weightsOf(label: Label): [version: number, weight: number][] {
  if ('version' in label) return [[label.version, 1]];
  return Object.entries(label.versions).map(([version, weight]) => [Number(version), weight]);
}

/** Formats the versions of a label: `version 7`, or `version 7 for 90%, version 8 for 10%`. */
export function labelWords(label: Label): string {
  const weights = weightsOf(label);
  const sum = weights.reduce((total, [, weight]) => total + weight, 0);
  const words = weights.map(([version, weight]) => {
    const share = (weight / sum).toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 });
    return weights.length === 1 ? `version ${version}` : `version ${version} for ${share}`;
  });
  return words.join(', ');
}

import type { Violations } from './violation.ts';

/** Violations as the model reads them: one sentence without its full stop, and the problem at each path. */
export type DescribedViolations = { sentence: string; details: Record<string, string> };

/** Describes violations by their paths, as `a.b[0]`. `whole` names the value itself. */
export function describeViolations({ first, count }: Violations, whole: string): DescribedViolations {
  const shown = first.map(({ steps, message }) => ({ path: pathOf(steps) || whole, message }));
  const sentences = shown.map(({ path, message }) => `${path}: ${message}`);
  const more = count > shown.length ? [`and ${count - shown.length} more`] : [];
  return {
    sentence: [...sentences, ...more].join('; '),
    details: Object.fromEntries(shown.map(({ path, message }) => [path, message])),
  };
}

function pathOf(steps: string[]): string {
  const path = steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('');
  return path.replace(/^\./, '');
}

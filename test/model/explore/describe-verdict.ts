import type { Verdict } from './explore.ts';

/** Describes the outcome of an exploration, with the path to the failure. */
export function describeVerdict(verdict: Verdict): string {
  const steps = verdict.path.map((step, index) => `  ${String(index + 1).padStart(2)} ${step}`);
  return [sentenceOf(verdict), ...steps].join('\n');
}

/** Returns how a verdict catches a mutant: by the broken promise, or as `stuck`. Otherwise it is `safe` or `cut`. */
export function caughtAs(verdict: Verdict): string {
  return verdict.kind === 'broken' ? verdict.promise : verdict.kind;
}

function sentenceOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'safe':
      return 'safe, and every state can end';
    case 'broken':
      return `UNSAFE: ${verdict.promise}`;
    case 'stuck':
      return `STUCK: ${verdict.count} states cannot end`;
    case 'cut':
      return 'safe in all explored states';
  }
}

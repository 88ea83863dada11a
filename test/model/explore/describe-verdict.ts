import type { Verdict } from './explore.ts';

/** The outcome of an exploration, in words, with the path to what is wrong. */
export function describeVerdict(verdict: Verdict): string {
  const steps = verdict.path.map((step, index) => `  ${String(index + 1).padStart(2)} ${step}`);
  return [sentenceOf(verdict), ...steps].join('\n');
}

/** How a verdict catches a mutant: by the promise that is broken, or as `stuck`. Else it is `safe` or `cut`. */
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
      return 'safe as far as it was explored';
  }
}

import type { History } from '../history.ts';

/** Processes that ended by themselves, but for workers that took poison. */
export function deadProcesses({ ownEnds }: Pick<History, 'ownEnds'>): string[] {
  const unprovoked = ownEnds.filter(({ lastWords }) => !lastWords.includes('poison taken'));
  return unprovoked.map(({ part, lastWords }) => `${part} ended by itself: ${lastWords.trim().split('\n').at(-1)}`);
}

import type { RecordedRound } from './recorded-turns.ts';

/** The problems of a request without those about ids that its server gave: a server takes its own, however odd they are. */
export function withoutOwnIds(problems: string[], rounds: RecordedRound[]): string[] {
  const own = new Set(rounds.flatMap(({ reply }) => reply.calls.map(({ id }) => `the id ${id}`)));
  return problems.filter((problem) => !own.has(problem.replace(/^\[\d+\] /, '')));
}

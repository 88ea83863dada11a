import type { RecordedRound } from './recorded-turns.ts';

/** Returns the problems of a request without problems about the server's own ids, which the server accepts. */
export function withoutOwnIds(problems: string[], rounds: RecordedRound[]): string[] {
  const own = new Set(rounds.flatMap(({ reply }) => reply.calls.map(({ id }) => `the id ${id}`)));
  return problems.filter((problem) => !own.has(problem.replace(/^\[\d+\] /, '')));
}

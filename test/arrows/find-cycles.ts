import type { Source } from './walk-sources.ts';

/** The circles of files that import each other, each told once: `a.ts → b.ts → a.ts`. */
export function findCycles(sources: readonly Source[]): string[] {
  const next = new Map(sources.map(({ path, arrows }) => [path, arrows.map(({ to }) => to ?? '')]));
  const finished = new Set<string>();
  const cycles: string[] = [];

  function follow(path: string, trail: string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || finished.has(path)) return;
    for (const to of next.get(path) ?? []) follow(to, [...trail, path]);
    finished.add(path);
  }

  for (const { path } of sources) follow(path, []);
  return cycles;
}

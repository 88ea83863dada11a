import type { Source } from './walk-sources.ts';

/** Returns the cycles of files that import each other, each once: `a.ts → b.ts → a.ts`. Imports of types count. */
export function findCycles(sources: readonly Source[]): string[] {
  const next = new Map(sources.map(({ path, arrows }) => [path, arrows]));
  const finished = new Set<string>();
  const cycles: string[] = [];

  function follow(path: string, trail: string[]): void {
    const start = trail.indexOf(path);
    if (start >= 0) cycles.push([...trail.slice(start), path].join(' → '));
    if (start >= 0 || finished.has(path)) return;
    for (const { to } of next.get(path) ?? []) if (to) follow(to, [...trail, path]);
    finished.add(path);
  }

  for (const { path } of sources) follow(path, []);
  return cycles;
}

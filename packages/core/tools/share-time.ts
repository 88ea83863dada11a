import { withinTime } from './within-time.ts';

/** Runs one piece of work within what is left of a time that is shared. Throws `OutOfTime`. */
export type SharedTime = <Value>(work: () => Value) => Value;

const LEAST_MS = 5;

/**
 * Time for many pieces of synchronous work: each may take half of what those before it have left of `totalMs`, and 5 ms
 * at the least, so that a slow one bounds the slow ones after it and leaves the quick ones alone. `backMs` of it come back
 * with each second.
 */
export function shareTime(totalMs: number, backMs = 0): SharedTime {
  let leftMs = totalMs;
  let at = performance.now();

  return (work) => {
    const startedAt = performance.now();
    leftMs = Math.min(totalMs, leftMs + ((startedAt - at) * backMs) / 1_000);
    try {
      return withinTime(Math.max(LEAST_MS, Math.round(leftMs / 2)), work);
    } finally {
      at = performance.now();
      leftMs = Math.max(0, leftMs - (at - startedAt));
    }
  };
}

/** The time that all work for one project shares in this process, however many of its turns are worked at once. */
export function shareTimeOf(project: string): SharedTime {
  const within = byProject.get(project) ?? shareTime(PROJECT_MS, PROJECT_BACK_MS);
  byProject.delete(project);
  byProject.set(project, within);
  if (byProject.size > PROJECTS) byProject.delete(byProject.keys().next().value ?? project);
  return within;
}

/** What checks of a project may hold a process up for, and what part of each second from then on. */
const PROJECT_MS = 500;
const PROJECT_BACK_MS = 50;
const PROJECTS = 1_000;
const byProject = new Map<string, SharedTime>();

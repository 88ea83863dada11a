import { takeTurns } from '#core/bounds/take-turns.ts';

/** The memory that all large bodies in a process may use together. */
export type BodyRoom = {
  /** Waits until a project may read a body of this many bytes. The returned function frees them once. */
  enter(project: string, bytes: number): Promise<() => void>;
  /** Does the same without a wait. Returns null without free memory. */
  tryEnter(project: string, bytes: number): (() => void) | null;
};

type Waiting = { bytes: number; enter(): void };

/**
 * Shares `allBytes` among projects. A project may use at most as many bytes as are still free, so that the next
 * project has room. Waiting bodies are admitted in turns by project.
 */
export function makeBodyRoom(allBytes: number): BodyRoom {
  const waiting = takeTurns<Waiting>();
  const held = new Map<string, number>();
  let free = allBytes;

  function mayEnter(project: string, bytes: number): boolean {
    const own = held.get(project) ?? 0;
    return held.size === 0 || (own === 0 ? bytes : own + bytes) <= free;
  }
  function hold(project: string, bytes: number): void {
    free -= bytes;
    const own = (held.get(project) ?? 0) + bytes;
    if (own === 0) held.delete(project);
    else held.set(project, own);
  }
  const mayEnterNow = (project: string, { bytes }: Waiting) => mayEnter(project, bytes);
  function letIn(): void {
    for (let next = waiting.take(mayEnterNow); next; next = waiting.take(mayEnterNow)) next.enter();
  }

  function take(project: string, bytes: number): () => void {
    let isHeld = true;
    hold(project, bytes);
    return () => {
      if (!isHeld) return;
      isHeld = false;
      hold(project, -bytes);
      letIn();
    };
  }

  return {
    enter: (project, bytes) =>
      new Promise((resolve) => {
        waiting.add(project, { bytes, enter: () => resolve(take(project, bytes)) });
        letIn();
      }),
    tryEnter: (project, bytes) => (mayEnter(project, bytes) ? take(project, bytes) : null),
  };
}

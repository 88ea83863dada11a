import type { ChildProcess } from 'node:child_process';

/** Whether a process came up at all; false where there is no such program. */
export function hasSpawned(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
}

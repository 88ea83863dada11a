import { spawnSync } from 'node:child_process';

/** Returns the hash of the commit that a revision of this repository names. Throws a sentence if there is none. */
export function findCommit(revision: string): string {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const { status, stdout } = spawnSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new Error(`--against ${revision}: the commit was not found. Give a commit, a branch or a tag.`);
}

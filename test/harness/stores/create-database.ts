import { runStatement } from './run-statement.ts';

/** Creates a database beside the database at `url`, empty or as a copy of `template`. Returns its URL. */
export async function createDatabase(url: string, name: string, template?: string): Promise<string> {
  // A copy of files adds no writes to the log, and its first connection finds the caches of the template.
  await runStatement(url, `create database "${name}" ${template ? `template "${template}" strategy file_copy` : ''}`);
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

/** Drops a database beside the database at `url`, even if clients are connected. */
export async function dropDatabase(url: string, name: string): Promise<void> {
  await runStatement(url, `drop database "${name}" with (force)`);
}

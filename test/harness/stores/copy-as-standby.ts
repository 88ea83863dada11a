import { execFile } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';

/** The name of a standby at its primary. */
export const STANDBY_NAME = 'standby';

/** `data`: the data folder of the running primary. The copy streams from the primary over `port`. */
type Copy = { data: string; to: string; port: number };

/** Copies the files of a running server as pg_basebackup does, which the embedded server lacks. */
export async function copyAsStandby(url: string, { data, to, port }: Copy): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql`select pg_backup_start('standby', true)`;
    mkdirSync(to);
    await copyFolder(join(data, 'postgres'), join(to, 'postgres'));
    const [stopped] = await sql<{ labelfile: string }[]>`select labelfile from pg_backup_stop(false)`;
    makeStandby(join(to, 'postgres', 'data'), stopped?.labelfile ?? '', Object.assign(new URL(url), { port }));
  } finally {
    await sql.end();
  }
}

/**
 * Copies files with their owners, which Node's own copy drops. The exit code is 1 if a file vanished during the copy.
 * The log repairs that.
 */
async function copyFolder(from: string, to: string): Promise<void> {
  const onError = (error: { code?: unknown }) => {
    if (error.code !== 1) throw error;
  };
  await promisify(execFile)('cp', ['-a', from, to]).catch(onError);
}

function makeStandby(folder: string, label: string, { hostname, port, username, password }: URL): void {
  for (const name of ['postmaster.pid', 'postmaster.opts']) rmSync(join(folder, name), { force: true });
  for (const kind of ['pg_wal', 'pg_replslot'])
    for (const name of readdirSync(join(folder, kind)))
      if (name !== 'archive_status' && name !== 'summaries') rmSync(join(folder, kind, name), { recursive: true });
  const { uid, gid } = statSync(folder);
  for (const [name, content] of [
    ['backup_label', label],
    ['standby.signal', ''],
  ] as const) {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    chownSync(join(folder, name), uid, gid);
  }
  const address = `host=${hostname} port=${port} user=${username} password=${password} application_name=${STANDBY_NAME}`;
  const settings = [
    `primary_conninfo = '${address}'`,
    `wal_retrieve_retry_interval = '500ms'`,
    // After its promotion its commits wait for no standby, until it has a standby of its own.
    `synchronous_standby_names = ''`,
  ];
  appendFileSync(join(folder, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
}

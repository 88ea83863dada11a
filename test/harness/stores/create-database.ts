import postgres from 'postgres';

/** Creates a database beside the one at `url`, empty or as a copy of `template`; answers its URL. */
export async function createDatabase(url: string, name: string, template?: string): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`create database "${name}" ${template ? `template "${template}"` : ''}`);
  } finally {
    await sql.end();
  }
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

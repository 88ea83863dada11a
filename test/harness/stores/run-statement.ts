import postgres from 'postgres';

export async function runStatement(url: string, statement: string): Promise<postgres.Row[]> {
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

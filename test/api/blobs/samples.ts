import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Harness } from '#test/harness/create-harness.ts';

/** A picture of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const PDF = Buffer.from('%PDF-1.7\n%%EOF').toString('base64');
export const WAV = Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1').toString('base64');
export const MP3 = Buffer.from('ID3\x04\0\0\0\0\0\0sound', 'latin1').toString('base64');

/** Returns a PNG that claims any size, with a few bytes. Each `mark` makes another file. */
export function pngOf({ width = 1, height = 1, mark = '', bytes = 0 }): string {
  const head = Buffer.alloc(24);
  head.write('89504e470d0a1a0a0000000d49484452', 'hex');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return Buffer.concat([head, Buffer.from(mark), Buffer.alloc(bytes)]).toString('base64');
}

export const text = (words: string) => ({ type: 'input_text', text: words });
export const image = (base64: string, type = 'image/png') => ({
  type: 'input_image',
  image_url: `data:${type};base64,${base64}`,
});
export const file = (base64: string, type = 'application/pdf') => ({
  type: 'input_file',
  file_data: `data:${type};base64,${base64}`,
});
export const audio = (data: string, format: string) => ({ type: 'input_audio', data, format });
export const user = (...content: object[]) => [{ role: 'user', content }];

/** Returns the path that reads show instead of these bytes. */
export function pathOf(base64: string): string {
  return `/v1/blobs/${createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex')}`;
}

export async function countBlobs({ db }: Pick<Harness, 'db'>): Promise<{ blobs: number; references: number }> {
  const { rows } = await sql<{ blobs: number; references: number }>`
    select (select count(*)::int from blobs) as blobs, (select count(*)::int from blob_references) as references`.execute(
    db,
  );
  return rows[0]!;
}

/** Returns the names of the tables that contain a text in any row. */
export async function tablesWith({ db }: Pick<Harness, 'db'>, words: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(db);
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`
      select 1 as one from ${sql.table(name)} as t where row_to_json(t)::text like ${`%${words}%`} limit 1`.execute(db);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

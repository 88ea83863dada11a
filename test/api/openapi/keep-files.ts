import type { Ask } from './visitor.ts';

type Made = { id: string };

const TYPE = { 'content-type': 'multipart/form-data; boundary=of-parts' };
const field = (name: string, value: string) =>
  `--of-parts\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const fileOf = (name: string, text: string) => field(`file"; filename="${name}`, text);
const formOf = (...parts: string[]) => ({ body: `${parts.join('')}--of-parts--\r\n`, headers: TYPE });
const purpose = field('purpose', 'user_data');

/** Creates a file under each base, reads it in every way, and deletes it. */
export async function keepFiles(ask: Ask): Promise<void> {
  for (const base of ['/v1', '/openai/v1']) {
    const expiry = [field('expires_after[anchor]', 'created_at'), field('expires_after[seconds]', '3600')];
    const asking = formOf(fileOf('a.pdf', '%PDF-1.7'), purpose, ...expiry);
    const repeatable = { ...asking, headers: { ...TYPE, 'idempotency-key': 'a-file' } };
    const { id } = await ask<Made>('POST', `${base}/files`, repeatable);
    await ask('POST', `${base}/files`, repeatable);
    for (const path of ['', '?order=asc&limit=1', `/${id}`, `/${id}/content`]) await ask('GET', `${base}/files${path}`);
    await ask('DELETE', `${base}/files/${id}`);
  }
}

/** Requests files, each with a different reason to be refused. */
export async function askForFilesWrongly(ask: Ask): Promise<void> {
  const file = fileOf('a.txt', 'Hello.');
  for (const base of ['/v1', '/openai/v1']) {
    for (const form of [
      ...[formOf(file), formOf(purpose), formOf(file, field('purpose', 'batch'))],
      ...[formOf(file, purpose, field('name', 'x')), formOf(fileOf('a.txt', ''), purpose)],
      ...[{ body: 'Hello.', headers: TYPE }, { body: '{}' }],
      { ...formOf(file, purpose), headers: { ...TYPE, 'idempotency-key': 'a b' } },
    ])
      await ask('POST', `${base}/files`, form);
    const none = `${base}/files/file-01kagz8m4pfvbte2n5q7rys3wx`;
    for (const path of [none, `${none}/content`, `${base}/files?after=x`]) await ask('GET', path);
    await ask('DELETE', none);
  }
}

import { readdirSync, readFileSync } from 'node:fs';

const ROOM = new URL('../../../packages/core/checkpoint/', import.meta.url);
const WRITES = /\b(?:insert into|update|delete from) \w+\b.*|insertInto|updateTable|deleteFrom/;
const SENDS = /\.execute\w*\(/;

/** Verbs that no turn waits for. */
const APART = new Set(['migrate', 'forget-keys', 'workers']);

/** The verbs in `checkpoint/` that write something about a turn, by the names of their files. */
export function writingVerbs(): string[] {
  return readdirSync(ROOM)
    .map((file) => ({ verb: file.replace(/\.ts$/, ''), text: readFileSync(new URL(file, ROOM), 'utf8') }))
    .filter(({ verb, text }) => WRITES.test(text) && SENDS.test(text) && !APART.has(verb))
    .map(({ verb }) => verb);
}

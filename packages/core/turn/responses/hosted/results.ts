import { isRecord, parseJson } from '../../../json.ts';
import type { HostedCall } from '../../hosted/hosted.ts';

type Input = HostedCall['input'];

/** Returns a text of a call's input, or null if the input has no such text. */
export function textOf(input: Input, name: string): string | null {
  const value = input?.[name];
  return typeof value === 'string' ? value : null;
}

/** Returns the queries of a search, in the words of any provider. */
export function queriesOf(input: Input): string[] {
  const { queries } = input ?? {};
  const listed = Array.isArray(queries) ? queries.filter((query) => typeof query === 'string') : [];
  const query = textOf(input, 'query');
  return query === null || listed.includes(query) ? listed : [query, ...listed];
}

/** Returns the code that a call ran. A provider's other commands are shown as JSON. */
export function codeOf(input: Input): string | null {
  if (input === null) return null;
  const isShell = Object.keys(input).length === 1;
  return textOf(input, 'code') ?? (isShell ? textOf(input, 'command') : null) ?? JSON.stringify(input);
}

/** Returns the entries of an output in JSON: of a list, or of its `sources` or `results`. */
export function entriesOf(output: string | null): Record<string, unknown>[] {
  const value = parseJson(output ?? '');
  const list = isRecord(value) ? (value.sources ?? value.results) : value;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

/** Returns the pages that a search found. */
export function sourcesOf(output: string | null): { type: 'url'; url: string }[] {
  return entriesOf(output).flatMap(({ url }) => (typeof url === 'string' ? [{ type: 'url' as const, url }] : []));
}

const FILE_FIELDS = ['attributes', 'file_id', 'filename', 'score', 'text'];

/** Returns the passages that a search in files found. */
export function fileResultsOf(output: string | null): Record<string, unknown>[] {
  const isField = ([name]: [string, unknown]) => FILE_FIELDS.includes(name);
  return entriesOf(output).map((entry) => ({
    ...{ attributes: {}, file_id: '', filename: '', score: 0, text: '' },
    ...Object.fromEntries(Object.entries(entry).filter(isField)),
  }));
}

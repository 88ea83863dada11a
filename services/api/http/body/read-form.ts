import { createHash } from 'node:crypto';
import { BODY_BOUNDS } from '#core/bounds/body-bounds.ts';
import { RequestRefused } from '#core/failure.ts';
import { cleanText } from '#core/text.ts';
import { refused } from '../../schemas/errors/error-codes.ts';

/** A file of a form: its name and media type as the client wrote them, and its bytes, a slice of the body. */
export type FormFile = { filename: string; mediaType: string; bytes: Buffer };

type FormValue = string | FormFile;

/** A form by the names of its fields. A repeated name has a list. */
export type Form = Record<string, FormValue | FormValue[]>;

const CRLF = '\r\n';

/**
 * Reads a `multipart/form-data` body (RFC 7578) without copying the bytes of files. Node's parser takes up to a
 * second for 8 MiB and blocks the process for that time.
 */
export function readForm(body: Buffer, boundary: string): Form {
  const form: Form = Object.create(null);
  const delimiter = `${CRLF}--${boundary}`;
  const isFirst = body.indexOf(delimiter.trimStart()) === 0;
  let rest = isFirst ? body.subarray(delimiter.length - CRLF.length) : split(body, delimiter).after;
  for (let parts = 0; rest.toString('latin1', 0, 2) !== '--'; parts += 1) {
    if (parts === BODY_BOUNDS.formParts) throw tooManyParts();
    const line = split(rest, CRLF);
    const headers = split(line.after.subarray(0, BODY_BOUNDS.formHeaderBytes), CRLF + CRLF);
    const content = split(line.after.subarray(headers.end), delimiter);
    if (line.before.toString('latin1').trim() !== '') throw refused('invalid_form');
    add(form, readPart(headers.before.toString('utf8'), content.before));
    rest = content.after;
  }
  return form;
}

/** Writes a form as JSON. A hash replaces the bytes of each file, so that equal forms have equal texts. */
export function describeForm(form: Form): string {
  const describe = (value: FormValue) => {
    if (typeof value === 'string') return value;
    const { bytes, ...file } = value;
    return { ...file, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  const fields = Object.entries(form).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(describe) : describe(value),
  ]);
  return JSON.stringify(Object.fromEntries(fields));
}

/** Splits bytes at the first separator, without copies. `end` is the end of the separator. */
function split(bytes: Buffer, separator: string): { before: Buffer; after: Buffer; end: number } {
  const start = bytes.indexOf(separator);
  if (start === -1) throw refused('invalid_form');
  const end = start + separator.length;
  return { before: bytes.subarray(0, start), after: bytes.subarray(end), end };
}

function add(form: Form, { name, value }: { name: string; value: FormValue }): void {
  const before = form[name];
  form[name] = before === undefined ? value : [before, value].flat();
}

function readPart(text: string, bytes: Buffer): { name: string; value: FormValue } {
  const headers = new Map(text.split(CRLF).map(readHeader));
  const { name, filename } = readDisposition(headers.get('content-disposition') ?? '');
  const encoding = headers.get('content-transfer-encoding') ?? 'binary';
  if (!name || !/^(binary|8bit|7bit)$/i.test(encoding)) throw refused('invalid_form');
  if (filename === undefined) return { name, value: cleanText(bytes.toString('utf8')) };
  return { name, value: { filename, mediaType: headers.get('content-type') ?? '', bytes } };
}

function readHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

const PARAMETER = /;\s*(name|filename\*?)\s*=\s*(?:"((?:\\.|[^"\\])*)"|([^\s;"]*))/gi;

/** The extended form (`filename*`) has the proper name. The other form is for older readers. */
function readDisposition(header: string): { name?: string | undefined; filename?: string | undefined } {
  if (!/^form-data\s*;/i.test(header)) return {};
  const found = [...header.matchAll(PARAMETER)];
  const given = new Map(
    found.map(([, name = '', quoted, plain]) => [name.toLowerCase(), unescaped(quoted ?? plain ?? '')]),
  );
  return { name: given.get('name'), filename: extendedName(given.get('filename*')) ?? given.get('filename') };
}

/** Browsers write quotes and line ends as `%22`, `%0D` and `%0A`. Older clients write a backslash before a quote. */
function unescaped(text: string): string {
  const plain = text.replaceAll(/\\(["\\])/g, '$1');
  return cleanText(
    plain.replaceAll(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
}

function extendedName(text: string | undefined): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(text ?? '') ?? [];
  if (encoded === undefined) return undefined;
  try {
    return cleanText(decodeURIComponent(encoded));
  } catch {
    throw refused('invalid_form');
  }
}

function tooManyParts(): RequestRefused {
  const message = `The form has more than ${BODY_BOUNDS.formParts} parts. Send fewer parts.`;
  return new RequestRefused(400, 'invalid_form', message);
}

import { z } from 'zod';

const MAX_HEADERS = 16;
const MAX_NAME = 64;
const MAX_VALUE = 1_024;

/** Returns whether a text can be the name of a header: a token of HTTP. */
export function isHeaderName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

/** Returns whether a text can be the value of a header: printable characters of Latin-1. */
export function isHeaderValue(text: string): boolean {
  return /^[\x20-\x7e\xa0-\xff]*$/.test(text);
}

/** Returns headers with lower-case names, since servers ignore case. */
export function withSmallNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Returns the names that differ from an earlier name only in case. */
export function repeatedNames(names: readonly string[]): string[] {
  const small = names.map((name) => name.toLowerCase());
  return names.filter((_, index) => small.indexOf(small[index] ?? '') < index);
}

/** Headers of a turn's requests to its providers. The operator lists the names that a turn may set. */
export const ProviderHeaders = z
  .record(z.string(), z.string().max(MAX_VALUE))
  .superRefine((headers, issues) => {
    const refuse = (name: string, message: string) => issues.addIssue({ code: 'custom', path: [name], message });
    const names = Object.keys(headers);
    if (names.length > MAX_HEADERS) issues.addIssue({ code: 'custom', message: `give at most ${MAX_HEADERS} headers` });
    for (const [name, value] of Object.entries(headers)) {
      if (name.length > MAX_NAME || !isHeaderName(name))
        refuse(name, `give the name of a header, ${MAX_NAME} characters at most`);
      if (!isHeaderValue(value)) refuse(name, 'use printable Latin-1 characters only');
    }
    for (const name of repeatedNames(names))
      refuse(name, 'give each header once, names in upper and lower case are the same');
  })
  .overwrite(withSmallNames)
  .meta({ maxProperties: MAX_HEADERS, propertyNames: { minLength: 1, maxLength: MAX_NAME } });

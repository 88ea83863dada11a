import { z } from 'zod';
import {
  isHeaderName,
  isHeaderValue,
  repeatedNames,
  withSmallNames,
} from '../../turn/request/provider/provider-headers.ts';

/** Headers that the connection or Pawl's parsing of replies depends on. */
const OWNED =
  /^(host|connection|content-length|content-type|content-encoding|transfer-encoding|keep-alive|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/i;

/** Headers with keys. A turn shows its configuration, so only the operator may set them. */
const KEYS = /(auth|authorization|key|token|secret|secret-id|password|passwd|jwt|credentials?|cookie2?|signature)$/i;

/** Headers that select the paying account. */
const ACCOUNTS = /^(openai-organization|openai-project|x-goog-user-project|x-amz-.*)$/i;

/** Returns the problem of a name that no request may set, or null. */
function nameProblem(name: string): string | null {
  if (!isHeaderName(name) || name === '*') return 'this is not a valid header name, give another name';
  return OWNED.test(name) ? 'the connection sets this header, leave it out' : null;
}

function allowedProblem(name: string): string | null {
  const isOperators = KEYS.test(name) || ACCOUNTS.test(name);
  return (
    nameProblem(name) ?? (isOperators ? 'this header contains a key or names an account, set it in headers' : null)
  );
}

const TWICE = 'this header is given twice, names in upper and lower case are the same';

/** Settings of each provider: the headers of all its requests, and the names of headers that a turn may set. */
export const headerSettings = {
  headers: z
    .record(z.string(), z.string('give the value as a text'), 'give an object of headers, by their names')
    .default({})
    .superRefine((headers, issues) => {
      const refuse = (name: string, message: string) => issues.addIssue({ code: 'custom', path: [name], message });
      for (const [name, value] of Object.entries(headers)) {
        const problem = nameProblem(name);
        if (problem) refuse(name, problem);
        if (!isHeaderValue(value)) refuse(name, 'use printable Latin-1 characters in the value');
      }
      for (const name of repeatedNames(Object.keys(headers))) refuse(name, TWICE);
    })
    .transform(withSmallNames),
  allowed_headers: z
    .array(z.string('give the name as a text'), 'give a list of header names')
    .default([])
    .superRefine((names, issues) => {
      for (const [index, name] of names.entries()) {
        const problem = allowedProblem(name);
        if (problem) issues.addIssue({ code: 'custom', path: [index], message: problem });
      }
    })
    .transform((names) => names.map((name) => name.toLowerCase())),
};

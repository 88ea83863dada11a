import type { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { shorten } from '#core/text.ts';
import { refused } from '../schemas/errors/error-codes.ts';

type Issue = z.core.$ZodIssue;

/**
 * Returns the first problem of a request, as a sentence with its path. An unknown field has priority, because it
 * explains most other problems. `adviceFor` may return a sentence for an unknown field.
 */
export function explainIssues(issues: Issue[], adviceFor?: (param: string) => string | null): RequestRefused {
  const found = issues.map((issue) => deepest(issue, []));
  const first = found.find(({ leaf }) => leaf.code === 'unrecognized_keys') ?? found[0];
  if (!first) return refused('invalid_request');
  const { path, leaf } = first;
  if (leaf.code === 'unrecognized_keys') {
    const param = renderPath([...path, leaf.keys[0] ?? '']);
    const message = `Unknown field \`${shorten(param)}\`. Remove it, or check its spelling.`;
    return new RequestRefused(400, 'unknown_field', adviceFor?.(param) ?? message, param);
  }
  const param = renderPath(path) || null;
  const name = `\`${shorten(param ?? 'body')}\``;
  if (isMissing(leaf)) return new RequestRefused(400, 'missing_field', `${name} is missing. Give a value.`, param);
  return new RequestRefused(400, 'invalid_value', `${name} is not valid: ${expectedValue(leaf)}.`, param);
}

/** Returns whether no value was given, in any of the allowed forms. */
function isMissing(issue: Issue): boolean {
  if (issue.code === 'invalid_union') {
    return issue.errors.length > 0 && issue.errors.every((errors) => errors.some(isMissing));
  }
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
}

/** Follows the closest branch of a union, so that the path names the wrong value and not the whole. */
function deepest(issue: Issue, before: PropertyKey[]): { path: PropertyKey[]; leaf: Issue } {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, leaf: issue };
  const kind = wrongKind(issue.errors);
  if (kind) return { path: [...path, 'type'], leaf: kind };
  const ofKind = issue.errors.filter((errors) => isObjectForm(errors) && !kindIssue(errors));
  const branches = (ofKind.length > 0 ? ofKind : issue.errors).flatMap((errors) => {
    const first = errors.find(({ code }) => code === 'unrecognized_keys') ?? errors[0];
    return first ? [deepest(first, path)] : [];
  });
  const closest = branches.sort((a, b) => reachOf(b) - reachOf(a))[0];
  return closest && reachOf(closest) > path.length ? closest : { path, leaf: issue };
}

/** Returns the problem of a `type` that none of several forms has, with the types of all forms. */
function wrongKind(forms: Issue[][]): Issue | null {
  const kinds = forms.flatMap((errors) => kindIssue(errors) ?? []);
  const [first] = kinds;
  if (!first || kinds.length < 2 || kinds.length < forms.filter(isObjectForm).length) return null;
  return { ...first, values: kinds.flatMap(({ values }) => values) };
}

/** Returns whether a form accepts objects. */
function isObjectForm(errors: Issue[]): boolean {
  return errors.some(({ code, path }) => path.length > 0 || code === 'unrecognized_keys');
}

/** Returns the problem of the `type` of one form: the value is of another form. */
function kindIssue(errors: Issue[]) {
  const isKind = (issue: Issue) => issue.code === 'invalid_value' && issue.path.join() === 'type';
  // The code is that of this type.
  return errors.find(isKind) as Extract<Issue, { code: 'invalid_value' }> | undefined;
}

/** Returns how deep a problem is within a value. An unknown key has the depth of the key. */
function reachOf({ path, leaf }: { path: PropertyKey[]; leaf: Issue }): number {
  return path.length + (leaf.code === 'unrecognized_keys' ? 1 : 0);
}

/** Returns the expected value as the end of a sentence. Messages of Pawl's own schemas have priority. */
function expectedValue(issue: Issue): string {
  return isOurs(issue) ? issue.message : `give ${wanted(issue)}`;
}

/** Pawl's own messages continue a sentence. Messages of zod begin a sentence. */
function isOurs({ message }: Issue): boolean {
  return /^\p{Ll}/u.test(message);
}

function wanted(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return KINDS[issue.expected] ?? issue.expected;
    case 'invalid_value':
      return oneOf(issue.values);
    case 'too_small':
      return sized(issue.origin, `${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`);
    case 'too_big':
      return sized(issue.origin, `${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`);
    case 'invalid_union':
      return issue.errors.length > 0 ? anyOf(issue.errors) : oneOf(('options' in issue && issue.options) || []);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0] ? `keys that are valid: ${expectedValue(issue.issues[0])}` : ANOTHER;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'custom':
      return ANOTHER;
  }
}

const ANOTHER = 'a value that /openapi.json allows';

const KINDS: Partial<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const UNITS: Partial<Record<string, string>> = { string: ' characters', array: ' items' };

function sized(origin: string, bound: string): string {
  const unit = UNITS[origin] ?? '';
  return unit && bound.endsWith(' 1') ? `${bound}${unit.slice(0, -1)}` : `${bound}${unit}`;
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  if (values.length === 0) return ANOTHER;
  const names = values.map((value) => `\`${String(value)}\``);
  return names.length === 1 ? String(names[0]) : `one of ${names.join(', ')}`;
}

/** Returns the first expectation of each form, without repetitions. */
function anyOf(forms: Issue[][]): string {
  const all = forms.flatMap(([first]) => (first ? [expectedValue(first).replace(/^give /, '')] : []));
  return [...new Set(all)].join(', or ');
}

/** The maximum characters of a path, because callers choose the keys. */
const LONGEST = 300;

/** Returns the path of a value in a body, as callers write it: `tools[0].name`. Empty for the whole body. */
export function renderPath(path: readonly PropertyKey[]): string {
  const parts = path.map((part, index) =>
    typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${shorten(String(part))}`,
  );
  return shorten(parts.join(''), LONGEST);
}

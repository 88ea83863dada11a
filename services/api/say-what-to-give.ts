import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** What to give instead of a value that is not valid, as the end of a sentence. What a schema says itself, it says best. */
export function sayWhatToGive(issue: Issue): string {
  return isOurs(issue) ? issue.message : `give ${wanted(issue)}`;
}

/** Our own messages go on with a sentence; those of zod begin one. */
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
      return issue.issues[0] ? `keys for which this holds: ${sayWhatToGive(issue.issues[0])}` : ANOTHER;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'unrecognized_keys':
    case 'custom':
      return ANOTHER;
  }
}

const ANOTHER = 'another value; /openapi.json says which there are';

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

/** Of each form the first thing that it wants, each said once. */
function anyOf(forms: Issue[][]): string {
  const all = forms.flatMap(([first]) => (first ? [sayWhatToGive(first).replace(/^give /, '')] : []));
  return [...new Set(all)].join(', or ');
}

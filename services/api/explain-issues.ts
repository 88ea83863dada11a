import type { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { shorten } from '#core/text.ts';
import { renderPath } from './render-path.ts';
import { sayWhatToGive } from './say-what-to-give.ts';

type Issue = z.core.$ZodIssue;

/** The first thing wrong with a request, as a sentence with its path. A field nobody knows explains most else. */
export function explainIssues(issues: Issue[]): RequestRefused {
  const found = issues.map((issue) => deepest(issue, []));
  const first = found.find(({ leaf }) => leaf.code === 'unrecognized_keys') ?? found[0];
  if (!first)
    return new RequestRefused(400, 'invalid_request', 'The request is not valid. Check it against /openapi.json.');
  const { path, leaf } = first;
  if (leaf.code === 'unrecognized_keys') {
    const param = renderPath([...path, leaf.keys[0] ?? '']);
    return new RequestRefused(
      400,
      'unknown_field',
      `There is no field \`${shorten(param)}\`. Remove it, or check its spelling.`,
      param,
    );
  }
  const param = renderPath(path) || null;
  const name = `\`${shorten(param ?? 'body')}\``;
  if (isMissing(leaf)) return new RequestRefused(400, 'missing_field', `${name} is missing. Give it.`, param);
  return new RequestRefused(400, 'invalid_value', `${name} is not valid: ${sayWhatToGive(leaf)}.`, param);
}

/** Nothing was given at all, whichever form it could have taken. */
function isMissing(issue: Issue): boolean {
  if (issue.code === 'invalid_union') {
    return issue.errors.length > 0 && issue.errors.every((errors) => errors.some(isMissing));
  }
  return issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
}

/** Goes into the branch of a union that came closest, so that the path names what is wrong and not the whole. */
function deepest(issue: Issue, before: PropertyKey[]): { path: PropertyKey[]; leaf: Issue } {
  const path = [...before, ...issue.path];
  if (issue.code !== 'invalid_union') return { path, leaf: issue };
  const branches = issue.errors.flatMap((errors) => errors.slice(0, 1).map((error) => deepest(error, path)));
  const closest = branches.sort((a, b) => b.path.length - a.path.length)[0];
  return closest && closest.path.length > path.length ? closest : { path, leaf: issue };
}

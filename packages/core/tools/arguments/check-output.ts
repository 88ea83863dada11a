import { exceedsJson, parseJson, withoutThoughts } from '../../json.ts';
import { cleanText, shorten, withoutFence } from '../../text.ts';
import type { Violation } from '../../turn/output/violation.ts';
import { findViolations } from './find-violations.ts';
import type { SchemaViolation } from './violation.ts';

const PATH_LIMIT = 200;
const MESSAGE_LIMIT = 300;

/** The answer of a turn, with the project and the output schema of the turn. */
export type AnswerToCheck = { answer: string; schema: Record<string, unknown>; project: string };

/**
 * Returns the first 20 violations of an answer, without thoughts and code fence. Blocks the event loop only briefly.
 */
export async function checkOutput({ answer, schema, project }: AnswerToCheck): Promise<Violation[]> {
  const text = withoutFence(withoutThoughts(answer));
  const excess = exceedsJson(text);
  if (excess) return [{ path: '', message: `has ${excess}` }];
  const value = parseJson(text);
  if (value === undefined) return [{ path: '', message: 'is no JSON' }];
  return (await findViolations({ value, text, project }, schema)).first.map(shownAs);
}

/** Returns the path as a JSON pointer. The model's text may contain any character. */
function shownAs({ steps, message }: SchemaViolation): Violation {
  const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { path: shorten(cleanText(pointer), PATH_LIMIT), message: shorten(cleanText(message), MESSAGE_LIMIT) };
}

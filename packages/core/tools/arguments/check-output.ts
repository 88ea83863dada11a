import { exceedsJson, parseJson } from '../../json.ts';
import { cleanText, shorten, withoutFence } from '../../text.ts';
import type { Violation } from '../../turn/output/violation.ts';
import type { TimeBudget } from './time-budget.ts';
import { findViolations, type SchemaViolation } from './violation.ts';

const SHOWN_VIOLATIONS = 20;
const PATH_LIMIT = 200;
const MESSAGE_LIMIT = 300;

/**
 * What the answer of a turn breaks of its output schema, the first 20 violations; none where it fits. A code fence around it is
 * taken off. It takes no longer than the time budget allows, whatever the model wrote.
 */
export function checkOutput(answer: string, schema: Record<string, unknown>, budget: TimeBudget): Violation[] {
  const text = withoutFence(answer);
  const excess = exceedsJson(text);
  if (excess) return [{ path: '', message: `has ${excess}` }];
  const value = parseJson(text);
  if (value === undefined) return [{ path: '', message: 'is no JSON' }];
  return findViolations(value, schema, { text, budget }).slice(0, SHOWN_VIOLATIONS).map(shownAs);
}

/** A path as a JSON pointer; what the model wrote may be any text. */
function shownAs({ steps, message }: SchemaViolation): Violation {
  const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { path: shorten(cleanText(pointer), PATH_LIMIT), message: shorten(cleanText(message), MESSAGE_LIMIT) };
}

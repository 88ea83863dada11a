import { isRecord } from '../../../json.ts';
import { wordOf } from '../../../text.ts';
import { textBlock, tidyBlock } from './tidy-block.ts';

type Result = Record<string, unknown>;

/**
 * Tidies the result of a tool in place before the SDK checks it. The SDK would refuse the whole answer, although the
 * tool has run:
 * - A null field is missing.
 * - Blocks of content have the form of their kind, or are text.
 * - The flag of an error may be a text or a number, and may be named `is_error`.
 * - A result without content is its own JSON as text.
 */
export function tidyResult(result: Result): void {
  for (const [name, value] of Object.entries(result)) {
    if (value === null) Reflect.deleteProperty(result, name);
  }
  tidyFlag(result);
  if ('content' in result) result.content = [result.content].flat().flatMap(tidyBlock);
  else if (!('structuredContent' in result)) addOwnJson(result);
  const { structuredContent: structured } = result;
  if (structured === undefined || isRecord(structured)) return;
  Reflect.deleteProperty(result, 'structuredContent');
  result._meta = { ...(isRecord(result._meta) && result._meta), [KEY]: structured };
  const said = Array.isArray(result.content) ? result.content : [];
  if (said.length === 0) result.content = [textBlock(JSON.stringify(structured))];
}

/** The field for structured content that is not an object: before the newest protocol, the SDK takes only objects. */
const KEY = 'pawl/structured';

/** Returns the structured content of a tidied result, of any type, or undefined. */
export function structuredContentOf({ structuredContent, _meta }: Result): unknown {
  return structuredContent ?? (isRecord(_meta) ? _meta[KEY] : undefined);
}

function tidyFlag(result: Result): void {
  const { isError, is_error: other } = result;
  if (typeof isError === 'boolean' || (isError === undefined && other === undefined)) return;
  result.isError = /^(?:true|1|yes)$/i.test(wordOf(isError ?? other));
}

/** Adds the result's own JSON as text. A result of another type needs a reaction, so the SDK handles it. */
function addOwnJson(result: Result): void {
  const { _meta, isError, is_error, resultType = 'complete', ...own } = result;
  if (resultType !== 'complete' || Object.keys(own).length === 0) return;
  result.content = [textBlock(JSON.stringify(own))];
}

import { isRecord } from '../json.ts';
import type { Redact } from '../redact.ts';
import { cleanToolText, shorten } from '../text.ts';
import type { ToolError, ToolErrorCategory } from '../turn/tool-result.ts';

const MESSAGE_LIMIT = 2000;
const DETAILS_LIMIT = 8000;

/** Cleans an error for storage: 2,000 characters of message, 8,000 of details. `redact` is for a tool's own texts. */
export function cleanError(
  category: ToolErrorCategory,
  message: string,
  details: unknown = {},
  redact: Redact = (text) => text,
): ToolError {
  return {
    category,
    message: shorten(cleanToolText(redact(message)), MESSAGE_LIMIT),
    details: cleanDetails(details, redact),
  };
}

function cleanDetails(details: unknown, redact: Redact): Record<string, unknown> {
  try {
    const clean = cleanJson(details, redact);
    if (JSON.stringify(clean).length > DETAILS_LIMIT) return { left_out: 'the details were too long' };
    return isRecord(clean) ? clean : {};
  } catch {
    return { left_out: 'the details were not JSON' };
  }
}

/** Copies a value into JSON that every database can store, without known secrets. Throws as `JSON.stringify` does. */
export function cleanJson(value: unknown, redact: Redact): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? null : clean(JSON.parse(text), (inner) => cleanToolText(redact(inner)));
}

function clean(value: unknown, cleaned: (text: string) => string): unknown {
  if (typeof value === 'string') return cleaned(value);
  if (Array.isArray(value)) return value.map((inner) => clean(inner, cleaned));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleaned(key), clean(inner, cleaned)]));
}

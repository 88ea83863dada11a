import type { Redact } from '../redact.ts';
import { cleanToolText } from '../text.ts';
import type { ToolError, ToolErrorCategory } from '../turn/tool-result.ts';
import { cleanJson } from './clean-json.ts';

const MESSAGE_LIMIT = 2000;
const DETAILS_LIMIT = 8000;

/**
 * A tool's error made safe to store and short enough to read: 2,000 characters of message, 8,000 of details as JSON.
 * What a tool said itself is given with `redact`.
 */
export function cleanError(
  category: ToolErrorCategory,
  message: string,
  details: unknown = {},
  redact: Redact = (text) => text,
): ToolError {
  return { category, message: shorten(cleanToolText(redact(message))), details: cleanDetails(details, redact) };
}

function shorten(text: string): string {
  return text.length > MESSAGE_LIMIT ? `${text.slice(0, MESSAGE_LIMIT - 1).toWellFormed()}…` : text;
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import type { Redact } from '../../redact.ts';
import { cleanToolText } from '../../text.ts';
import { ToolFailed } from '../define/tool.ts';

/** An output. `content` is for the model, `full` is stored. `truncated`: `content` is cut. `partial`: `full` is cut. */
export type RenderedOutput = { content: string; truncated: boolean; full: string; partial: boolean };

/** The most bytes of one output to read and store. `full` is cut there. */
export const FULL_OUTPUT_LIMIT = 4 * 1024 * 1024;

/**
 * Renders a return value as redacted text, cut to `limit` bytes of UTF-8. Throws `ToolFailed` for a value that is not
 * JSON.
 */
export function renderOutput(value: unknown, limit: number, redact: Redact): RenderedOutput {
  const whole = cleanToolText(redact(textOf(value)));
  const full = cut(whole, FULL_OUTPUT_LIMIT);
  const content = cut(full, limit);
  return { content, truncated: content !== whole, full, partial: full !== whole };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === undefined) return '';
  const text = jsonOf(value);
  if (text === undefined) throw notJson(`it is a ${typeof value}`);
  return text;
}

/** Returns JSON, or undefined for functions and symbols, which the type of `JSON.stringify` omits. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    throw notJson(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
  }
}

function notJson(reason: string): ToolFailed {
  return new ToolFailed('unknown', `The tool ran, but its output is neither text nor JSON: ${reason}`);
}

/** Cuts the middle of a text between characters, and keeps head and tail. */
export function cut(text: string, limit: number): string {
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const bytes = Buffer.from(text);
  const headEnd = characterStart(bytes, Math.ceil(limit / 2), -1);
  const tailStart = characterStart(bytes, bytes.length - Math.floor(limit / 2), 1);
  const note = `[… ${tailStart - headEnd} bytes cut …]`;
  return `${bytes.toString('utf8', 0, headEnd)}\n${note}\n${bytes.toString('utf8', tailStart)}`;
}

function characterStart(bytes: Buffer, position: number, step: -1 | 1): number {
  let at = position;
  while (((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000) at += step;
  return at;
}

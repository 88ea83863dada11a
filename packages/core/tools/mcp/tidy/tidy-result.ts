import { isRecord } from '../../../json.ts';

type Result = Record<string, unknown>;

/**
 * Tidies a result in place before the SDK checks it, since the SDK refuses the whole answer of a tool that has run:
 * - A field that is null is missing.
 * - Content of an unknown kind is text.
 * - An image without a type has the type that its first bytes show.
 */
export function tidyResult(result: Result): void {
  for (const [name, value] of Object.entries(result)) {
    if (value === null && name !== 'tools') Reflect.deleteProperty(result, name);
  }
  if ('content' in result) result.content = [result.content].flat().flatMap(tidyBlock);
  const { structuredContent: structured } = result;
  if (structured === undefined || isRecord(structured)) return;
  Reflect.deleteProperty(result, 'structuredContent');
  const said = Array.isArray(result.content) ? result.content : [];
  if (said.length === 0) result.content = [textBlock(JSON.stringify(structured))];
}

const KINDS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

function tidyBlock(block: unknown): unknown[] {
  if (block === null || block === undefined) return [];
  if (typeof block === 'string') return [textBlock(block)];
  if (!isRecord(block) || !KINDS.has(block.type)) return [textBlock(JSON.stringify(block))];
  if (block.type === 'text' && (block.text === null || block.text === undefined)) return [];
  const given = Object.fromEntries(Object.entries(block).filter(([, value]) => value !== null));
  return [block.type === 'image' && !given.mimeType ? { ...given, mimeType: imageTypeOf(given.data) } : given];
}

/** How the Base64 of each type of image begins that models read. */
const BEGINNINGS = { 'image/png': 'iVBORw0', 'image/jpeg': '/9j/', 'image/gif': 'R0lGOD', 'image/webp': 'UklGR' };

function imageTypeOf(data: unknown): string {
  const types = Object.entries(BEGINNINGS);
  return types.find(([, beginning]) => typeof data === 'string' && data.startsWith(beginning))?.[0] ?? 'image/png';
}

function textBlock(text: string): Result {
  return { type: 'text', text };
}

import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { canonicalText, parseJson, scanJson, startJsonScan } from '../../json.ts';

type AnsweredContent = Pick<CallToolResult, 'content' | 'structuredContent'>;

/**
 * The answer of an MCP tool as text: texts as they are, all else as a short note. Structured content follows as JSON,
 * unless the blocks say the same; a block that repeats one of its properties is left out.
 */
export function renderMcpResult({ content, structuredContent }: AnsweredContent): string {
  if (structuredContent === undefined || coversStructuredContent(content, structuredContent)) return rendered(content);
  // There may be thousands of properties and of blocks: comparing each with each would take minutes.
  const values = new Set(propertiesOf(structuredContent).map(canonicalText));
  const maxValues = countValues(JSON.stringify(structuredContent));
  const others = content.filter(
    (block) => block.type !== 'text' || !formsOf(block, maxValues).some((form) => values.has(form)),
  );
  return [rendered(others), JSON.stringify(structuredContent)].filter((text) => text !== '').join('\n');
}

/**
 * Whether the blocks of an answer say all that its structured content does: as JSON, or as its only property. Servers
 * wrap one around a text or a list (`{"content": "the text"}`, `{"result": [1, 2]}`).
 */
export function coversStructuredContent(content: ContentBlock[], structured: unknown): boolean {
  const values = propertiesOf(structured);
  const maxValues = countValues(JSON.stringify(structured) ?? '');
  const blocks = content.map((block) => formsOf(block, maxValues));
  return [structured, ...(values.length === 1 ? values : [])].some((value) => {
    const text = canonicalText(value) ?? '';
    return blocks.some((forms) => forms.includes(text)) || isList(blocks, value);
  });
}

function propertiesOf(structured: unknown): unknown[] {
  return typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
}

/**
 * The forms of a block in structured content, as canonical JSON: itself, its text, or the JSON that its text is. JSON
 * with more values than the structured content is left out: sorting it would be wasted.
 */
function formsOf(block: ContentBlock, maxValues: number): string[] {
  const forms = block.type === 'text' ? [block, block.text, jsonWithin(block.text, maxValues)] : [block];
  return forms.flatMap((form) => canonicalText(form) ?? []);
}

function jsonWithin(text: string, maxValues: number): unknown {
  return countValues(text) > maxValues ? undefined : parseJson(text);
}

function countValues(json: string): number {
  return scanJson(startJsonScan(), json).values;
}

function isList(blocks: string[][], value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0 || value.length !== blocks.length) return false;
  return blocks.every((forms, index) => forms.includes(canonicalText(value[index]) ?? ''));
}

function rendered(content: ContentBlock[]): string {
  return content
    .map(render)
    .filter((text) => text !== '')
    .join('\n');
}
function render(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return noteOf(block.type, block.mimeType, block.data);
    case 'resource_link':
      return block.uri;
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      return noteOf(`resource ${resource.uri}`, resource.mimeType ?? 'unknown type', resource.blob);
    }
  }
}

function noteOf(what: string, mimeType: string, base64: string): string {
  return `[${what}, ${mimeType}, ${Buffer.byteLength(base64, 'base64')} bytes]`;
}

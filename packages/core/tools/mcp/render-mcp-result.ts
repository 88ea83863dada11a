import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { scanJson, startJsonScan } from '../../scan-json.ts';
import { canonicalText } from '../../turn/canonical-json.ts';
import { jsonValue } from '../../turn/json-value.ts';

type Said = Pick<CallToolResult, 'content' | 'structuredContent'>;

/**
 * What a tool of an MCP server answered, as text: texts as they are, all else as a short note. Its structured content
 * follows as JSON, unless the blocks say the same; a text that is one of its properties is then left out.
 */
export function renderMcpResult({ content, structuredContent }: Said): string {
  if (structuredContent === undefined || tellsAll(content, structuredContent)) return rendered(content);
  // Properties and blocks may be many thousands each: comparing every one with every other would take minutes.
  const values = new Set(propertiesOf(structuredContent).map(canonicalText));
  const most = countOf(JSON.stringify(structuredContent));
  const others = content.filter(
    (block) => block.type !== 'text' || !formsOf(block, most).some((form) => values.has(form)),
  );
  return [rendered(others), JSON.stringify(structuredContent)].filter((text) => text !== '').join('\n');
}

/**
 * Whether the blocks of an answer say all that its structured content does: as JSON, or as its only property, which servers
 * wrap around a text or a list (`{"content": "the text"}`, `{"result": [1, 2]}`).
 */
export function tellsAll(content: ContentBlock[], structured: unknown): boolean {
  const values = propertiesOf(structured);
  const most = countOf(JSON.stringify(structured) ?? '');
  const blocks = content.map((block) => formsOf(block, most));
  return [structured, ...(values.length === 1 ? values : [])].some((value) => {
    const text = canonicalText(value) ?? '';
    return blocks.some((forms) => forms.includes(text)) || isList(blocks, value);
  });
}

function propertiesOf(structured: unknown): unknown[] {
  return typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
}

/**
 * What a block may stand for in structured content, as canonical JSON: itself, its text, or the JSON that its text is,
 * unless that has more values than the structured content: putting them in order is work for nothing.
 */
function formsOf(block: ContentBlock, most: number): string[] {
  const forms = block.type === 'text' ? [block, block.text, jsonWithin(block.text, most)] : [block];
  return forms.flatMap((form) => canonicalText(form) ?? []);
}

function jsonWithin(text: string, most: number): unknown {
  return countOf(text) > most ? undefined : jsonValue(text);
}

function countOf(json: string): number {
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

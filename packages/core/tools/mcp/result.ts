import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { canonicalText, parseJson, scanJson, startJsonScan } from '../../json.ts';
import { takeInline } from '../../turn/parts/take-inline.ts';
import type { Part } from '../../turn/request/item.ts';
import { type PartsResult, parts } from '../define/tool.ts';

type AnsweredContent = Pick<CallToolResult, 'content' | 'structuredContent'>;

/**
 * Returns an MCP answer as text, with notes for other blocks. Structured content follows unless the blocks contain
 * it.
 */
export function renderMcpResult(answer: AnsweredContent): string {
  const { blocks, json } = saying(answer);
  return [rendered(blocks), ...json].filter((text) => text !== '').join('\n');
}

/** Returns an MCP answer as a result with parts for images and audio, or as text without them. */
export function outputOfMcp(answer: AnsweredContent): string | PartsResult {
  const { blocks, json } = saying(answer);
  const shown = blocks.flatMap(partsOf);
  if (shown.every((part) => part.type === 'input_text')) return renderMcpResult(answer);
  const texts = json.map((text): Part => ({ type: 'input_text', text }));
  return parts([...shown, ...texts].filter((part) => part.type !== 'input_text' || part.text !== ''));
}

/** Returns a block as parts. Unusable data becomes a note. A note names a resource before its media. */
function partsOf(block: ContentBlock): Part[] {
  const part = mediaOf(block);
  const taken = part && takeInline(part);
  if (!part || !taken || !('blob' in taken)) return [{ type: 'input_text', text: render(block) }];
  return block.type === 'resource' ? [{ type: 'input_text', text: render(block) }, part] : [part];
}

function mediaOf(block: ContentBlock): Part | null {
  if (block.type === 'image') return imageOf(block.mimeType, block.data);
  if (block.type === 'audio') return audioOf(block.mimeType, block.data);
  if (block.type !== 'resource' || !('blob' in block.resource)) return null;
  const { mimeType = '', blob } = block.resource;
  return /^image\//i.test(mimeType) ? imageOf(mimeType, blob) : audioOf(mimeType, blob);
}

function imageOf(mimeType: string, data: string): Part {
  return { type: 'input_image', image_url: `data:${mimeType};base64,${data}` };
}

function audioOf(mimeType: string, data: string): Part | null {
  const format = FORMATS[mimeType.toLowerCase()];
  return format ? { type: 'input_audio', data, format } : null;
}

const FORMATS: Partial<Record<string, 'mp3' | 'wav'>> = {
  ...{ 'audio/mp3': 'mp3', 'audio/mpeg': 'mp3' },
  ...{ 'audio/wav': 'wav', 'audio/x-wav': 'wav', 'audio/wave': 'wav' },
};

/** Returns the blocks with their own content, and the structured content unless the blocks contain it completely. */
function saying({ content, structuredContent }: AnsweredContent): { blocks: ContentBlock[]; json: string[] } {
  if (structuredContent === undefined || coversStructuredContent(content, structuredContent))
    return { blocks: content, json: [] };
  // There may be thousands of properties and blocks, so comparing all pairs would take minutes.
  const values = new Set(propertiesOf(structuredContent).map(canonicalText));
  const maxValues = countValues(JSON.stringify(structuredContent));
  const others = content.filter(
    (block) => block.type !== 'text' || !formsOf(block, maxValues).some((form) => values.has(form)),
  );
  return { blocks: others, json: [JSON.stringify(structuredContent)] };
}

/** Returns whether the blocks contain all structured content: as JSON, or as its only property. */
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
 * Returns a block, its text, and the JSON in the text, canonical. JSON with more values than the content is not
 * sorted.
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
      return renderLink(block);
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return resource.text;
      return noteOf(`resource ${resource.uri}`, resource.mimeType ?? 'unknown type', resource.blob);
    }
  }
}

function renderLink({ uri, name, title, mimeType, size, description }: Link): string {
  const facts = [
    name === uri ? null : `name ${JSON.stringify(name)}`,
    title === undefined ? null : `title ${JSON.stringify(title)}`,
    mimeType ?? null,
    size === undefined ? null : `${size} bytes`,
    description === undefined ? null : `description ${JSON.stringify(description)}`,
  ];
  return `[${[`link to ${uri}`, ...facts.filter((fact) => fact !== null)].join(', ')}]`;
}

type Link = Extract<ContentBlock, { type: 'resource_link' }>;

function noteOf(what: string, mimeType: string, base64: string): string {
  return `[${what}, ${mimeType}, ${Buffer.byteLength(base64, 'base64')} bytes]`;
}

import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';

type Said = Pick<CallToolResult, 'content' | 'structuredContent'>;

/**
 * What a tool of an MCP server answered, as text: texts as they are, all else as a short note. Its structured content
 * follows as JSON, unless one of the texts says the same.
 */
export function renderMcpResult({ content, structuredContent }: Said): string {
  const texts = content.map(render).filter((text) => text !== '');
  const isTold = structuredContent === undefined || texts.some((text) => saysTheSame(text, structuredContent));
  return (isTold ? texts : [...texts, JSON.stringify(structuredContent)]).join('\n');
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

function saysTheSame(text: string, structured: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

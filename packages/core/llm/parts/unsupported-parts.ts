import { readBlobAddress } from '../../turn/parts/blob-address.ts';
import { dataOf, withData } from '../../turn/parts/part-data.ts';
import { type InputItem, isMessage, type Part } from '../../turn/request/item.ts';
import { renderPart as aiSdkPart } from '../ai-sdk/request/render-parts.ts';
import { renderPart as anthropicPart } from '../anthropic/render-parts.ts';
import { renderPart as geminiPart } from '../gemini/render-parts.ts';
import { renderPart as openaiPart } from '../openai/render-parts.ts';
import { renderPart as responsesPart } from '../openai-responses/render-parts.ts';
import type { Capabilities } from '../provider.ts';

type Wire = Capabilities['wire'];

/**
 * Returns a sentence about the first input part that a wire does not support, with its field, or null. Parts of
 * results are not checked, since a note replaces them.
 */
export function unsupportedParts(wire: Wire, input: readonly InputItem[]): { param: string; message: string } | null {
  for (const [index, item] of input.entries()) {
    if (!isMessage(item) || typeof item.content === 'string') continue;
    for (const [place, part] of item.content.entries()) {
      const message = item.role === 'user' ? problemOf(wire, part) : problemElsewhere(part);
      const param = `input[${index}].content[${place}]`;
      if (message) return { param, message: `\`${param}\` cannot be sent: ${message}` };
    }
  }
  return null;
}

function problemElsewhere({ type }: Part): string | null {
  return type === 'input_text' ? null : 'only user messages may contain images, files and audio. Give text.';
}

function problemOf(wire: Wire, part: Part): string | null {
  return renderers[wire](withSomeData(part)) ? null : `${WANTS[wire]}. Send a supported part.`;
}

/** Fills in data of the right type if the data of a part is stored elsewhere. */
function withSomeData(part: Part): Part {
  const blob = readBlobAddress(dataOf(part)?.address ?? '');
  return blob ? withData(part, `data:${blob.mediaType};base64,YQ==`) : part;
}

const renderers: Record<Wire, (part: Part) => object | null> = {
  openai: openaiPart,
  'openai-responses': responsesPart,
  anthropic: anthropicPart,
  gemini: geminiPart,
  'ai-sdk': aiSdkPart,
};

const WANTS: Record<Wire, string> = {
  openai:
    'this provider supports text, images (data: URL or https address), PDF files (data: URL) and audio (MP3 or WAV)',
  'openai-responses':
    'this provider supports text, images (data: URL or https address) and files (PDF as a data: URL, or an https address)',
  anthropic:
    'this provider supports text, images (JPEG, PNG, GIF or WebP as a data: URL, or an https address) and files (PDF or text as a data: URL, or an https address)',
  gemini: 'this provider supports text, images and files (base64 data: URL or https address), and audio (MP3 or WAV)',
  'ai-sdk': 'this provider supports text, images and files (base64 data: URL or https address), and audio (MP3 or WAV)',
};

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
 * The first part of an input that a wire cannot carry, as a sentence and the field it is about; null where it can carry
 * all (contract-responses R22: `unsupported_content`). Parts of results are no reason: a note stands for those.
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
  return type === 'input_text'
    ? null
    : 'only a message of the user may have images, files and audio; give the others text.';
}

function problemOf(wire: Wire, part: Part): string | null {
  return renderers[wire](withSomeData(part)) ? null : `${WANTS[wire]}, and this is none of them.`;
}

/** Of a part whose data is kept elsewhere only the type is known here. */
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
    'beside text, this provider takes images (a data: URL or an https address), PDF files (a data: URL) and audio (MP3 or WAV)',
  'openai-responses':
    'beside text, this provider takes images (a data: URL or an https address) and files (PDF in a data: URL, or an https address)',
  anthropic:
    'beside text, this provider takes images (JPEG, PNG, GIF or WebP in a data: URL, or an https address) and files (PDF or text in a data: URL, or an https address)',
  gemini:
    'beside text, this provider takes images and files, as a data: URL in base64 or as an https address, and audio (MP3 or WAV)',
  'ai-sdk':
    'beside text, this provider takes images and files, as a data: URL in base64 or as an https address, and audio (MP3 or WAV)',
};

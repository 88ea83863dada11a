import type { HostedCall } from '../hosted/hosted.ts';
import { readBlobAddress, shownAddress } from '../parts/blob-address.ts';
import type { Round } from '../turn.ts';
import type { UiChunk } from './chunk.ts';

/**
 * Returns the chunks about a call that the provider runs, in order. A later state of the call adds chunks and never
 * changes earlier chunks.
 */
export function hostedChunks(round: number, call: HostedCall): UiChunk[] {
  const { type: toolName, status, input, output, error } = call;
  // Some ids are unique only in their round.
  const toolCallId = `h${round}_${call.id}`;
  const named = { toolCallId, toolName };
  const flags = { dynamic: true, providerExecuted: true } as const;
  const begin: UiChunk = { type: 'tool-input-start', ...named, ...flags };
  if (status === 'in_progress') return [begin];
  const end: UiChunk =
    status === 'failed'
      ? { type: 'tool-output-error', toolCallId, errorText: error ?? 'The call failed.', providerExecuted: true }
      : { type: 'tool-output-available', toolCallId, output: output ?? '', providerExecuted: true };
  return [begin, { type: 'tool-input-available', ...named, input: input ?? {}, ...flags }, end];
}

/** Returns the sources of a round, each once, and the images that the model made. */
export function sourceChunks({ number, hosted }: Pick<Round, 'number' | 'hosted'>): UiChunk[] {
  if (!hosted) return [];
  const sources = new Map<string, UiChunk>();
  for (const annotation of hosted.annotations) {
    const key = annotation.type === 'url_citation' ? annotation.url : `file ${annotation.file_id}`;
    const sourceId = `s${number}_${sources.size}`;
    const { title } = annotation;
    if (sources.has(key)) continue;
    sources.set(
      key,
      annotation.type === 'url_citation'
        ? { type: 'source-url', sourceId, url: annotation.url, ...(title && { title }) }
        : { type: 'source-document', sourceId, mediaType: ANY_FILE, title: title || annotation.file_id },
    );
  }
  const files = hosted.images.map(
    ({ url }): UiChunk => ({
      type: 'file',
      url: shownAddress(url),
      mediaType: readBlobAddress(url)?.mediaType ?? 'image/png',
    }),
  );
  return [...sources.values(), ...files];
}

/** Providers do not report the type of a cited file. */
const ANY_FILE = 'application/octet-stream';

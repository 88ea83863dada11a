import type { Annotation, GeneratedImage, HostedCall } from '#core/turn/hosted/hosted.ts';

/** Returns a completed web search. A test gives only the fields it needs. */
export function makeSearch(own: Partial<HostedCall> = {}): HostedCall {
  return {
    ...{ id: 'ws_1', type: 'web_search', status: 'completed', input: { type: 'search', query: 'pawl' } },
    output: JSON.stringify([{ url: 'https://pawl.example/a', title: 'A' }]),
    ...{ error: null, offset: 0, ...own },
  };
}

/** Returns a completed run of code. */
export function makeCode(own: Partial<HostedCall> = {}): HostedCall {
  return makeSearch({ id: 'ci_1', type: 'code_execution', input: { code: 'print(6 * 7)' }, output: '42\n', ...own });
}

/** Returns a completed search in files. */
export function makeFileSearch(own: Partial<HostedCall> = {}): HostedCall {
  const output = JSON.stringify([{ file_id: 'file_1', filename: 'a.md', score: 0.5, text: 'A turn.', extra: 1 }]);
  return makeSearch({ id: 'fs_1', type: 'file_search', input: { queries: ['turns'] }, output, ...own });
}

/** Returns a call that made an image. */
export function makeImageCall(own: Partial<HostedCall> = {}): HostedCall {
  return makeSearch({ id: 'ig_1', type: 'image_generation', input: { prompt: 'A dot' }, output: null, ...own });
}

/** Returns a call as it starts. */
export function started(call: HostedCall): HostedCall {
  return { ...call, status: 'in_progress', input: null, output: null, error: null };
}

/** A PNG of one pixel, in base64. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** An image at the start of a text, as a provider reports it. */
export const dot: GeneratedImage = { url: `data:image/png;base64,${PIXEL}`, offset: 0 };

/** Returns a citation of a web page. */
export function citation(start: number, end: number, own: Partial<Annotation> = {}): Annotation {
  const place = { start_index: start, end_index: end };
  return { type: 'url_citation', url: 'https://pawl.example/a', title: 'A', ...place, ...own } as Annotation;
}

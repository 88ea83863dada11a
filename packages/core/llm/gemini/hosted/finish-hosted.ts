import { jsonObject } from '../../../json.ts';
import type { Annotation, GeneratedImage, Hosted, HostedCall } from '../../../turn/hosted/hosted.ts';
import type { HostedType } from '../../../turn/hosted/hosted-tool.ts';
import type { Delta } from '../../provider.ts';
import { type Fields, fieldsIn, textIn, wordIn } from '../../reply/fields.ts';
import { failsFetch, hostedDelta, nextHostedId } from './gather-hosted.ts';
import { type Grounding, readGrounding, type Source } from './grounding.ts';
import { type ContentRun, locateSegments } from './locate-segments.ts';

/** The calls of Gemini's own tools, the sources and the images of a reply while it arrives. */
export type HostedAccumulator = {
  /** Calls that the content shows. Gemini reports other calls only in the metadata. */
  calls: HostedCall[];
  images: GeneratedImage[];
  groundings: Fields[];
  fetched: Fields[];
  runs: ContentRun[];
  /** The length of the text when calls of the metadata were first reported. */
  reportedAt: number | null;
};

/** Returns an accumulator without content. */
export function startHosted(): HostedAccumulator {
  return { calls: [], images: [], groundings: [], fetched: [], runs: [], reportedAt: null };
}

/** Returns the deltas of calls that only the metadata reports, once, since they are known only at the end. */
export function reportFound(hosted: HostedAccumulator, text: string): Delta[] {
  if (hosted.reportedAt !== null || (hosted.groundings.length === 0 && hosted.fetched.length === 0)) return [];
  hosted.reportedAt = text.length;
  return foundCalls(hosted, readGrounding(hosted.groundings), text.length).map(hostedDelta);
}

/** Returns the calls, citations and images of a reply as a field, if the reply has any. */
export function finishHosted(hosted: HostedAccumulator, text: string): { hosted?: Hosted } {
  const grounding = readGrounding(hosted.groundings);
  const own = withSources(hosted.calls.map(ended), grounding);
  const calls = [...own, ...foundCalls(hosted, grounding, text.length)];
  const annotations = annotationsOf(grounding, text, hosted.runs);
  const { images } = hosted;
  return calls.length + annotations.length + images.length > 0 ? { hosted: { calls, annotations, images } } : {};
}

/** Returns a call with an end. A reply may end before the result of a call. */
function ended(call: HostedCall): HostedCall {
  return call.status === 'in_progress'
    ? { ...call, status: 'failed', error: 'The reply ended before the result.' }
    : call;
}

/** Adds the sources to the last search that the content shows, since its own result has no sources. */
function withSources(calls: HostedCall[], { pages, searchEntryPoint }: Grounding): HostedCall[] {
  const last = calls.findLastIndex(({ type }) => type === 'web_search');
  const call = calls[last];
  if (!call || (pages.length === 0 && searchEntryPoint === null)) return calls;
  const output = { ...jsonObject(call.output ?? ''), ...outputOf(pages, searchEntryPoint) };
  return calls.with(last, { ...call, output: JSON.stringify(output) });
}

/** Returns the sources first, since a long output is cut at its end. */
function outputOf(sources: Source[], searchEntryPoint: string | null = null) {
  const shown = sources.map(({ type: _, ...source }) => source);
  return { sources: shown, ...(searchEntryPoint === null ? {} : { search_entry_point: searchEntryPoint }) };
}

type Found = Pick<HostedCall, 'type' | 'input' | 'output' | 'error'>;

/** Returns the calls of the metadata. A type with a call in the content is left out. */
function foundCalls(hosted: HostedAccumulator, grounding: Grounding, length: number): HostedCall[] {
  const isShown = (type: HostedType) => hosted.calls.some((call) => call.type === type);
  const all = [...searchesIn(grounding), ...fetchesIn(hosted.fetched)].filter(({ type }) => !isShown(type));
  const offset = hosted.reportedAt ?? length;
  const calls: HostedCall[] = [];
  for (const found of all) {
    const status = found.error === null ? 'completed' : 'failed';
    calls.push({ id: nextHostedId(calls, found.type), status, ...found, offset });
  }
  return calls;
}

function searchesIn({ isWeb, webQueries, fileQueries, pages, files, searchEntryPoint }: Grounding): Found[] {
  return [
    ...(isWeb ? [searched('web_search', webQueries, outputOf(pages, searchEntryPoint))] : []),
    ...(files.length > 0 ? [searched('file_search', fileQueries, outputOf(files))] : []),
  ];
}

function searched(type: HostedType, queries: string[], output: object): Found {
  return { type, input: queries.length > 0 ? { queries } : null, output: JSON.stringify(output), error: null };
}

/** Returns a call for each page. A later chunk may repeat a page with its final status. */
function fetchesIn(fetched: Fields[]): Found[] {
  const statuses = new Map<string, string>();
  for (const { urlMetadata } of fetched) {
    for (const page of Array.isArray(urlMetadata) ? urlMetadata.map(fieldsIn) : []) {
      const url = textIn(page?.retrievedUrl);
      if (url) statuses.set(url, wordIn(page?.urlRetrievalStatus) ?? '');
    }
  }
  return [...statuses].map(([url, status]) => {
    const error = status && failsFetch(status) ? status : null;
    return {
      type: 'web_fetch',
      input: { url },
      output: error === null ? JSON.stringify({ url, status }) : null,
      error,
    };
  });
}

/** Returns the citations within the text. Gemini may cite a place outside the text. */
function annotationsOf({ cited }: Grounding, text: string, runs: ContentRun[]): Annotation[] {
  const segments = cited.map(({ segment }) => segment);
  const ranges = locateSegments(segments, text, runs);
  return cited.flatMap(({ source }, index): Annotation[] => {
    const range = ranges[index];
    return range ? [{ ...source, start_index: range.start, end_index: range.end }] : [];
  });
}

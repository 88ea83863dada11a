import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { type Fields, fieldsIn, indexIn, textIn } from '../../reply/fields.ts';
import { boundReply } from '../../unusable-reply.ts';

/** A source of the text: a page, or a file of a file search. */
export type Source =
  | { type: 'url_citation'; url: string; title?: string }
  | { type: 'file_citation'; file_id: string; title?: string };

/** A piece of a part of the content. The indexes count bytes of UTF-8. */
export type Segment = { part: number; start: number; end: number; text: string | null };

/** The sources of a reply, and the pieces of its text that they support. */
export type Grounding = {
  /** Whether Gemini searched the web. It names pages for maps too. */
  isWeb: boolean;
  webQueries: string[];
  fileQueries: string[];
  pages: Source[];
  files: Source[];
  cited: { source: Source; segment: Segment }[];
  /** HTML that Google's terms of use require to be shown. */
  searchEntryPoint: string | null;
};

/**
 * Reads the metadata of a reply. Chunks of a stream may repeat or extend the metadata, so that sources and citations
 * are merged without duplicates. Unreadable fields count as missing.
 */
export function readGrounding(metadata: Fields[]): Grounding {
  const chunks = metadata.map(({ groundingChunks }) => listIn(groundingChunks).map(readSource));
  const latest = chunks.findLast((each) => each.length > 0) ?? [];
  const cited = metadata.flatMap(({ groundingSupports }, index) => {
    const own = chunks[index];
    return citedIn(listIn(groundingSupports), own?.length ? own : latest);
  });
  const sources = distinct(chunks.flat().filter((source) => source !== null));
  const textsIn = (field: string) => distinct(metadata.flatMap((each) => listOfTexts(each[field])));
  const webQueries = [...textsIn('webSearchQueries'), ...textsIn('imageSearchQueries')];
  const searchEntryPoint = metadata.map(entryPointIn).findLast(Boolean) ?? null;
  return {
    isWeb: webQueries.length > 0 || searchEntryPoint !== null || metadata.some(hasPages),
    webQueries,
    fileQueries: textsIn('retrievalQueries'),
    pages: sources.filter(({ type }) => type === 'url_citation'),
    files: sources.filter(({ type }) => type === 'file_citation'),
    cited: distinct(cited),
    searchEntryPoint,
  };
}

function hasPages({ groundingChunks }: Fields): boolean {
  return listIn(groundingChunks).some((chunk) => fieldsIn(fieldsIn(chunk)?.web) !== null);
}

function entryPointIn({ searchEntryPoint }: Fields): string | null {
  return textIn(fieldsIn(searchEntryPoint)?.renderedContent);
}

/** Returns the source of a chunk: a page of the web, of a map or with an image, or a document. */
function readSource(chunk: unknown): Source | null {
  const fields = fieldsIn(chunk) ?? {};
  const page = fieldsIn(fields.web) ?? fieldsIn(fields.maps) ?? fieldsIn(fields.image);
  if (page) return pageOf(textIn(page.uri) ?? textIn(page.sourceUri), page.title);
  const document = fieldsIn(fields.retrievedContext);
  return document && documentOf(document);
}

function pageOf(url: string | null, title: unknown): Source | null {
  return url ? { type: 'url_citation', url, ...titleIn(title) } : null;
}

/** Returns a document of a file search, or a page of a search engine. Gemini names files by their titles. */
function documentOf({ uri, documentName, fileSearchStore, title }: Fields): Source | null {
  const address = textIn(uri);
  if (address && /^https?:/i.test(address) && !fileSearchStore) return pageOf(address, title);
  const fileId = [address, textIn(documentName), textIn(title), textIn(fileSearchStore)].find(Boolean);
  return fileId ? { type: 'file_citation', file_id: fileId, ...titleIn(title) } : null;
}

function titleIn(title: unknown): { title?: string } {
  const text = textIn(title);
  return text ? { title: text } : {};
}

/** Returns the citations of metadata. An index has a few bytes and repeats a whole source, so their size is bounded. */
function citedIn(supports: unknown[], sources: (Source | null)[]): Grounding['cited'] {
  const cited: Grounding['cited'] = [];
  let length = 0;
  for (const each of supports.flatMap((support) => citedBy(support, sources))) {
    length += JSON.stringify(each.source).length;
    boundReply(cited.push(each), REPLY_BOUNDS.parts, 'citations in one reply');
    boundReply(length, REPLY_BOUNDS.stateLength, 'of citations');
  }
  return cited;
}

function citedBy(support: unknown, sources: (Source | null)[]): Grounding['cited'] {
  const { segment, groundingChunkIndices } = fieldsIn(support) ?? {};
  const place = fieldsIn(segment);
  const end = indexIn(place?.endIndex);
  if (!place || end === null) return [];
  // A zero is left out of the JSON.
  const [start, part] = [indexIn(place.startIndex) ?? 0, indexIn(place.partIndex) ?? 0];
  const piece: Segment = { part, start, end, text: textIn(place.text) };
  return listIn(groundingChunkIndices).flatMap((index) => {
    const source = sources[indexIn(index) ?? -1];
    return source ? [{ source, segment: piece }] : [];
  });
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function listOfTexts(value: unknown): string[] {
  return listIn(value).flatMap((each) => textIn(each) || []);
}

function distinct<Value>(values: Value[]): Value[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

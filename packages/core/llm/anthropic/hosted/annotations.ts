import type { Annotation } from '../../../turn/hosted/hosted.ts';
import { type Fields, partsIn, textIn } from '../../reply/fields.ts';
import { type Block, boundsOf, type TextBounds } from '../block.ts';

/** Returns the sources of the texts of a reply. This wire cites sources for a whole text block. */
export function annotationsOf(blocks: readonly Block[]): Annotation[] {
  const bounds = boundsOf(blocks);
  return blocks.flatMap(({ type, citations }, index) => {
    const place = bounds[index];
    if (type !== 'text' || !Array.isArray(citations) || !place || place.start === place.end) return [];
    return distinct(partsIn(citations).flatMap((citation) => annotationOf(citation, place)));
  });
}

/** Returns the source of a citation. A citation of a document without a file has no source that a caller can open. */
function annotationOf(citation: Fields, { start, end }: TextBounds): Annotation[] {
  const place = { start_index: start, end_index: end };
  const title = titleField(citation.title ?? citation.document_title);
  switch (citation.type) {
    case 'web_search_result_location':
      return textIn(citation.url) ? [{ type: 'url_citation', url: String(citation.url), ...title, ...place }] : [];
    case 'search_result_location':
      return textIn(citation.source)
        ? [{ type: 'url_citation', url: String(citation.source), ...title, ...place }]
        : [];
    case 'page_location':
    case 'char_location':
    case 'content_block_location':
      return textIn(citation.file_id)
        ? [{ type: 'file_citation', file_id: String(citation.file_id), ...title, ...place }]
        : [];
    default:
      return [];
  }
}

function titleField(title: unknown): { title?: string } {
  const text = textIn(title);
  return text ? { title: text } : {};
}

/** Removes repeated sources. A text may cite several passages of a source. */
function distinct(annotations: Annotation[]): Annotation[] {
  const first = new Map(annotations.toReversed().map((each) => [JSON.stringify(each), each]));
  return annotations.filter((each) => first.get(JSON.stringify(each)) === each);
}

import { type Annotation, annotationsWithin } from '../../hosted/hosted.ts';

/** A source of a piece of a text, in OpenAI's shape. The indexes count UTF-16 code units. */
export type OutputAnnotation =
  | { type: 'url_citation'; start_index: number; end_index: number; url: string; title: string }
  | { type: 'file_citation'; index: number; file_id: string; filename: string };

/** Returns the annotations of a text. An annotation that ends after the text is left out. */
export function outputAnnotations(annotations: readonly Annotation[], text: string): OutputAnnotation[] {
  return annotationsWithin(annotations, text).map((annotation) => {
    const { start_index, end_index, title = '' } = annotation;
    return annotation.type === 'url_citation'
      ? { type: annotation.type, start_index, end_index, url: annotation.url, title }
      : { type: annotation.type, index: end_index, file_id: annotation.file_id, filename: title };
  });
}

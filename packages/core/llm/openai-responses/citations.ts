import type { Annotation } from '../../turn/hosted/hosted.ts';
import { type Fields, fieldsIn, indexIn, textIn } from '../reply/fields.ts';

/**
 * Returns the citations of a part of a text. Their indexes count in the whole text, in which the part begins at
 * `start`. A citation outside its part is omitted. A citation without a place is at the end of the part.
 */
export function citationsIn(
  { annotations }: Fields,
  { start, length }: { start: number; length: number },
): Annotation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.flatMap((each): Annotation[] => {
    const given = fieldsIn(each);
    const from = indexIn(given?.start_index) ?? indexIn(given?.index) ?? length;
    const to = indexIn(given?.end_index) ?? from;
    const source = given && sourceOf(given);
    if (!source || from > to || to > length) return [];
    return [{ ...source, start_index: start + from, end_index: start + to }];
  });
}

type Source = Annotation extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'start_index' | 'end_index'>
    : never
  : never;

function sourceOf(given: Fields): Source | null {
  const { url, file_id: id, title, filename } = given;
  switch (given.type) {
    case 'url_citation':
      return typeof url === 'string' && url ? { type: 'url_citation', url, ...titleOf(title) } : null;
    case 'file_citation':
    case 'container_file_citation':
      return typeof id === 'string' && id ? { type: 'file_citation', file_id: id, ...titleOf(filename) } : null;
    default:
      return null;
  }
}

function titleOf(title: unknown): { title?: string } {
  const text = textIn(title);
  return text ? { title: text } : {};
}

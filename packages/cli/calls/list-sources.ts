import type { Turn } from '../../client/connect-pawl.ts';
import { inLine } from './subject-of.ts';

/** Returns a numbered line for each source of an answer: its title, and its address or the id of its file. */
export function listSources({ output_annotations: annotations }: Pick<Turn, 'output_annotations'>): string[] {
  const titles = new Map<string, string | undefined>();
  for (const annotation of annotations) {
    const where = annotation.type === 'url_citation' ? annotation.url : annotation.file_id;
    titles.set(where, titles.get(where) ?? annotation.title);
  }
  return [...titles].map(([where, title], index) => {
    const words = [title, where].filter((text) => text !== undefined);
    return `${index + 1}. ${[...new Set(words.map(inLine))].join('  ')}`;
  });
}

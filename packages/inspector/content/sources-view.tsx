import type { Turn } from '../base/turn.ts';

type Annotation = Turn['output_annotations'][number];

/** The sources of a text, each once. Web pages are links, and open in a new tab. */
export function SourcesView({ annotations }: { annotations: readonly Annotation[] }) {
  if (annotations.length === 0) return null;
  return (
    <nav class="sources" aria-label="Sources">
      <ol>
        {sourcesOf(annotations).map(({ where, address, title }) => (
          <li key={where}>
            {address === null ? (
              title
            ) : (
              <a href={address} target="_blank" rel="noopener noreferrer" title={address}>
                {title}
              </a>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** A page or a file that a text cites. A browser may not open a page with an address of null. */
type Source = { where: string; address: string | null; title: string };

function sourcesOf(annotations: readonly Annotation[]): Source[] {
  const sources = new Map<string, Source>();
  for (const annotation of annotations) {
    const source = sourceOf(annotation);
    const known = sources.get(source.where);
    // A later citation may have the title that an earlier citation lacks.
    if (!known || (!known.title && annotation.title)) sources.set(source.where, source);
  }
  return [...sources.values()].map((source) => ({ ...source, title: source.title || nameOf(source) }));
}

function sourceOf(annotation: Annotation): Source {
  const title = annotation.title?.trim() ?? '';
  if (annotation.type === 'file_citation') return { where: annotation.file_id, address: null, title };
  return { where: annotation.url, address: /^https?:\/\//i.test(annotation.url) ? annotation.url : null, title };
}

/** Returns the host of a page without a title, and the whole address if it has no host. */
function nameOf({ where, address }: Source): string {
  return address !== null && URL.canParse(address) ? new URL(address).host : where;
}

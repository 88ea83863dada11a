import { annotationsWithin, cleanJson, type Hosted, storedCall } from '#core/turn/hosted/hosted.ts';
import { takeImage } from '#core/turn/hosted/take-image.ts';
import { dataOf } from '#core/turn/parts/part-data.ts';
import type { NewBlob } from '#core/turn/parts/take-inline.ts';
import type { Reply } from '#core/turn/reply.ts';

/** The additions of a provider as a row has them, the blobs of images, and warnings about unusable images. */
type TakenHosted = { fields: Pick<Reply, 'hosted'>; blobs: NewBlob[]; warnings: string[] };

const UNUSABLE = 'The model made an image that cannot be stored, so it is left out';

/** Cleans the additions of a provider to a reply, and takes the data of images out. Citations stay within the text. */
export function takeHosted({ hosted, text }: Pick<Reply, 'hosted' | 'text'>): TakenHosted {
  if (!hosted) return { fields: {}, blobs: [], warnings: [] };
  const kept = hosted.images.flatMap(({ url, offset }) => {
    const taken = takeImage(url);
    return taken ? [{ offset, ...taken }] : [];
  });
  const calls = hosted.calls.map(storedCall);
  const annotations = annotationsWithin(hosted.annotations, text ?? '');
  const images = kept.map(({ offset, part }) => ({ url: dataOf(part)?.address ?? '', offset }));
  return {
    fields: { hosted: { calls, ...cleanJson<Omit<Hosted, 'calls'>>({ annotations, images }) } },
    blobs: kept.map(({ blob }) => blob),
    warnings: kept.length < hosted.images.length ? [UNUSABLE] : [],
  };
}

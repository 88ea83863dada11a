import type { GeneratedImage } from '../../turn/hosted/hosted.ts';
import type { Part as MessagePart } from '../../turn/request/item.ts';
import { type Fields, fieldsIn, textIn } from '../reply/fields.ts';
import { renderPart } from './render-parts.ts';

/** Returns the image of a part of a reply, or null for any other part. */
export function generatedImageIn({ inlineData }: Fields, offset: number): GeneratedImage | null {
  const media = fieldsIn(inlineData);
  const [type, data] = [textIn(media?.mimeType), textIn(media?.data)];
  return type?.startsWith('image/') && data ? { url: `data:${type};base64,${data}`, offset } : null;
}

/** Returns a part of an image without its data, which a blob has. */
export function withoutImage(part: Fields): Fields {
  return { ...part, inlineData: { ...fieldsIn(part.inlineData), data: '' } };
}

type ImagePart = { inlineData?: { data?: string } };

/**
 * Puts the images of a message into the parts without data, in order. A part without an image is left out. If an
 * image is missing, all are left out, since none can be assigned.
 */
export function withImages<Sent extends ImagePart>(parts: Sent[], images: readonly MessagePart[] = []): Sent[] {
  const isComplete = parts.filter(isEmptied).length === images.length;
  let next = 0;
  return parts.flatMap((part): Sent[] => {
    if (!isEmptied(part)) return [part];
    const image = isComplete ? images[next] : undefined;
    next += 1;
    const inlineData = image && renderPart(image)?.inlineData;
    return inlineData ? [{ ...part, inlineData }] : [];
  });
}

function isEmptied({ inlineData }: ImagePart): boolean {
  return inlineData?.data === '';
}

import { useEffect, useState } from 'preact/hooks';
import { fetchWithKey, refusalOf, urlOf } from '../base/call.ts';
import { inOrder } from '../base/memo.tsx';
import { useNear } from '../base/use-near.ts';

/** A part of a message, as any route returns it. Each type of part has some of these fields. */
export type ContentPart = {
  type: string;
  text?: string;
  image_url?: string | undefined;
  filename?: string | null | undefined;
  file_url?: string | undefined;
  file_data?: string | undefined;
  data?: string | undefined;
};

type Content = string | readonly ContentPart[];

export function ContentView({ content }: { content: Content }) {
  if (typeof content === 'string') return <p class="said">{content}</p>;
  return inOrder(content, (part) => <PartView part={part} />);
}

export function lengthOf(content: Content): number {
  return typeof content === 'string' ? content.length : content.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
}

function PartView({ part }: { part: ContentPart }) {
  const { type, text, image_url: image, filename, file_url: url, file_data: file, data } = part;
  if (text !== undefined) return <p class="said">{text}</p>;
  if (image?.startsWith('/v1/blobs/')) return <ImageView path={image} words="Attachment" />;
  // The page loads no images from other hosts. It shows only their address.
  const where = filename ?? image ?? url ?? file ?? data;
  return <p class="meta">{`${type.replace('input_', '')}${where ? `: ${where}` : ''}`}</p>;
}

/** The size above which the page loads no image. */
const MOST_BYTES = 4 * 1024 * 1024;
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** An image of the API, described by `words`. The page reads it with the key of the tab when it is in the view. */
export function ImageView({ path, words }: { path: string; words: string }) {
  const { place, isNear } = useNear<HTMLParagraphElement>();
  const [read, setRead] = useState<{ source?: string; problem?: string } | null>(null);
  useEffect(() => {
    if (!isNear || read !== null) return;
    readImage(path).then(
      (source) => setRead({ source }),
      (error) => setRead({ problem: ` (${refusalOf(error).message})` }),
    );
  }, [path, isNear, read]);
  return (
    <p ref={place} class="meta">
      {read?.source ? <img class="given" src={read.source} alt={words} /> : `image: ${path}${read?.problem ?? ''}`}
    </p>
  );
}

/** Returns the image as a data URL, which the content security policy allows, or '' if the page does not show it. */
async function readImage(path: string): Promise<string> {
  const response = await fetchWithKey(urlOf(path));
  const type = response.headers.get('content-type') ?? '';
  if (!response.ok) throw new Error((await response.json()).error.message);
  if (!SHOWN.includes(type) || Number(response.headers.get('content-length')) > MOST_BYTES) {
    await response.body?.cancel();
    return '';
  }
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

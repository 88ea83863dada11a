import { type InputItem, isMessage, type Part } from '../request/item.ts';
import { shownAddress } from './blob-address.ts';

/** The field of a part that has its data or the address of its data. */
export type PartData = { field: 'image_url' | 'file_data' | 'file_url' | 'data'; address: string };

/** Returns the data of a part, or null for a text. */
export function dataOf(part: Part): PartData | null {
  switch (part.type) {
    case 'input_text':
      return null;
    case 'input_image':
      return { field: 'image_url', address: part.image_url };
    case 'input_file':
      return part.file_data === undefined
        ? { field: 'file_url', address: part.file_url ?? '' }
        : { field: 'file_data', address: part.file_data };
    case 'input_audio':
      return { field: 'data', address: part.data };
  }
}

/** Returns the part with other data. A file loses its URL. */
export function withData(part: Part, address: string): Part {
  switch (part.type) {
    case 'input_text':
      return part;
    case 'input_image':
      return { ...part, image_url: address };
    case 'input_file': {
      const { file_url: _, ...file } = part;
      return { ...file, file_data: address };
    }
    case 'input_audio':
      return { ...part, data: address };
  }
}

/** Returns a part as callers see it: the path of a blob replaces its data. */
export function shownPart(part: Part): Part {
  const data = dataOf(part);
  const shown = data && shownAddress(data.address);
  return data && shown !== null && shown !== data.address ? withData(part, shown) : part;
}

/** Returns a content as callers see it. */
export function shownContent(content: string | Part[]): string | Part[] {
  return typeof content === 'string' ? content : content.map(shownPart);
}

/** A part of an input and its path there, as in `input[0].content[1]`. */
export type PlacedPart = { part: Part; path: string };

/** Returns all parts of an input: of its messages, of its results and of calls that a provider ran. */
export function partsOf(items: readonly InputItem[]): PlacedPart[] {
  return items.flatMap((item, index) => {
    const { field, content } = contentOf(item);
    return typeof content === 'string'
      ? []
      : content.map((part, place) => ({ part, path: `input[${index}].${field}[${place}]` }));
  });
}

/** Returns the input with each part changed. */
export function mapParts(items: readonly InputItem[], change: (placed: PlacedPart) => Part): InputItem[] {
  return items.map((item, index) => {
    const { field, content } = contentOf(item);
    if (typeof content === 'string') return item;
    const parts = content.map((part, place) => change({ part, path: `input[${index}].${field}[${place}]` }));
    return { ...item, [field]: parts };
  });
}

function contentOf(item: InputItem): { field: 'content' | 'output' | 'images'; content: string | Part[] } {
  if (isMessage(item)) return { field: 'content', content: item.content };
  if (item.type === 'hosted_call') return { field: 'images', content: item.images ?? '' };
  const hasParts = item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
  return { field: 'output', content: hasParts ? item.output : '' };
}

import { isRecord } from '../../../json.ts';
import { shorten } from '../../../text.ts';

type Block = Record<string, unknown>;

/**
 * Tidies a block of content, since the SDK would refuse the whole answer for it. An unknown or unusable block becomes
 * its JSON as text, or a note if that is long. An empty block is omitted.
 */
export function tidyBlock(block: unknown): Block[] {
  if (block === null || block === undefined) return [];
  if (typeof block === 'string') return [textBlock(block)];
  if (!isRecord(block)) return [textBlock(JSON.stringify(block))];
  const given = Object.fromEntries(Object.entries(block).filter(isUsable));
  const tidied = tidyKind(given);
  return tidied === undefined ? [textBlock(noteOf(block))] : [tidied].flat();
}

const LONGEST_JSON = 2_000;

function noteOf(block: Block): string {
  const json = JSON.stringify(block);
  if (json.length <= LONGEST_JSON) return json;
  const kind = typeof block.type === 'string' ? ` of type ${JSON.stringify(shorten(block.type))}` : '';
  return `[content${kind} that cannot be read, ${json.length} characters of JSON]`;
}

export function textBlock(text: string): Block {
  return { type: 'text', text };
}

const isText = (value: unknown) => typeof value === 'string';
const OPTIONAL = new Map<string, (value: unknown) => boolean>([
  ...Object.entries({ _meta: isRecord, annotations: isAnnotations, icons: () => false }),
  ...Object.entries({ title: isText, description: isText, mimeType: isText, size: Number.isFinite }),
]);

function isUsable([name, value]: [string, unknown]): boolean {
  return value !== null && (OPTIONAL.get(name)?.(value) ?? true);
}

const MOMENT = /^\d{4}-(?:0\d|1[0-2])-(?:[01]\d|2[0-8])T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

const ANNOTATIONS = new Map<string, (value: unknown) => boolean>([
  ['audience', (value) => Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant')],
  ['priority', (value) => typeof value === 'number' && value >= 0 && value <= 1],
  ['lastModified', (value) => typeof value === 'string' && MOMENT.test(value)],
]);

function isAnnotations(value: unknown): boolean {
  return isRecord(value) && Object.entries(value).every(([name, each]) => ANNOTATIONS.get(name)?.(each) ?? true);
}

/** Returns the block in the form of its kind, or undefined if its kind is unknown or it is unreadable. */
function tidyKind(given: Block): Block | Block[] | undefined {
  switch (given.type) {
    case 'text':
      return tidyText(given);
    case 'image':
    case 'audio':
      return tidyMedia(given, BEGINNINGS[given.type]);
    case 'resource_link':
      return isText(given.uri) ? { ...given, name: isText(given.name) ? given.name : given.uri } : undefined;
    case 'resource':
      return tidyResource(given);
    default:
      return undefined;
  }
}

function tidyText({ content, value, ...given }: Block): Block | Block[] | undefined {
  const text = given.text ?? content ?? value;
  if (text !== undefined) return { ...given, text: textOf(text) };
  const { type, annotations, _meta, ...rest } = given;
  return Object.keys(rest).length === 0 ? [] : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The first Base64 characters of each type of data that models read. The first type applies to unknown data. */
const BEGINNINGS = {
  image: { 'image/png': 'iVBORw0', 'image/jpeg': '/9j/', 'image/gif': 'R0lGOD', 'image/webp': 'UklGR' },
  audio: { 'audio/mpeg': 'SUQz', 'audio/wav': 'UklGR' },
};

const DATA_URL = /^data:([^;,]*)[^,]{0,200};base64,/;

function tidyMedia({ data: given, ...block }: Block, beginnings: Record<string, string>): Block | undefined {
  if (typeof given !== 'string') return undefined;
  const [prefix = '', type] = DATA_URL.exec(given.slice(0, 400)) ?? [];
  const data = given.slice(prefix.length);
  if (!isBase64(data)) return undefined;
  const types = Object.entries(beginnings);
  const shown = types.find(([, beginning]) => data.startsWith(beginning)) ?? types[0];
  return { ...block, data, mimeType: block.mimeType || type || shown?.[0] };
}

/** Returns whether the SDK would take the text as Base64. */
function isBase64(data: unknown): boolean {
  try {
    return typeof data === 'string' && atob(data) !== undefined;
  } catch {
    return false;
  }
}

function tidyResource({ resource, uri, mimeType, text, blob, ...block }: Block): Block | undefined {
  const fields = isRecord(resource) ? resource : { uri, mimeType, text, blob };
  const { text: said, blob: data, ...rest } = Object.fromEntries(Object.entries(fields).filter(isUsable));
  if (said === undefined && data === undefined) return undefined;
  const content = said === undefined && isBase64(data) ? { blob: data } : { text: textOf(said ?? data) };
  return { ...block, resource: { ...rest, uri: isText(rest.uri) ? rest.uri : 'unnamed', ...content } };
}

import { type AnthropicBlock, markOf, ttlOf } from './anthropic-blocks.ts';

const MOST_MARKS = 4;

const TTL_ORDER =
  "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. " +
  'Note that blocks are processed in the following order: `tools`, `system`, `messages`.';

/** Returns Anthropic's refusal of the marks of a request, or null. `automatic` counts marks at the top level. */
export function refuseAnthropicMarks(blocks: readonly AnthropicBlock[], automatic = 0): string | null {
  const marked = blocks.filter((block) => markOf(block));
  const refused = marked.flatMap((block) => refuseMark(block) ?? [])[0];
  if (refused) return refused;
  const count = marked.length + nestedMarks(blocks) + automatic;
  if (count > MOST_MARKS)
    return `A maximum of ${MOST_MARKS} blocks with cache_control may be provided. Found ${count}.`;
  return refuseOrder(marked);
}

function refuseMark(block: AnthropicBlock): string | null {
  const { path, tier, value } = block;
  const { type, ttl } = markOf(block) ?? {};
  const kind = String(value.type);
  if (/^(redacted_)?thinking$/.test(kind)) return `${path}.${kind}.cache_control: Extra inputs are not permitted`;
  if (type !== 'ephemeral') return `${path}.cache_control.type: Input should be 'ephemeral'`;
  if (ttl !== undefined && ttl !== '5m' && ttl !== '1h') {
    return `${path}.cache_control.ephemeral.ttl: Input should be '5m' or '1h'`;
  }
  if (kind !== 'text' || String(value.text).trim() !== '') return null;
  return `${path}${tier === 'messages' ? '.text' : ''}: cache_control cannot be set for empty text blocks`;
}

function nestedMarks(blocks: readonly AnthropicBlock[]): number {
  const nested = blocks.flatMap(({ value: { content } }) => (Array.isArray(content) ? content : []));
  return nested.filter(({ cache_control: mark }) => mark).length;
}

function refuseOrder(marked: readonly AnthropicBlock[]): string | null {
  const short = marked.findIndex((block) => ttlOf(markOf(block) ?? {}) === '5m');
  const late = marked.find((block, at) => short !== -1 && at > short && ttlOf(markOf(block) ?? {}) === '1h');
  return late ? `${late.path}.cache_control.ttl: ${TTL_ORDER}` : null;
}

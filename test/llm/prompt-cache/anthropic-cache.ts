import {
  type AnthropicBlock,
  type AnthropicBody,
  anthropicBlocks,
  markOf,
  textOfBlock,
  ttlOf,
} from './anthropic-blocks.ts';
import { cutPrefix, MINIMUM_PREFIX, type PrefixCut } from './cut-prefix.ts';
import type { PromptCache } from './prompt-cache.ts';
import { refuseAnthropicMarks } from './refuse-anthropic-marks.ts';
import { freshCount, type TokenCount } from './token-count.ts';

/** A mark looks for an entry at its own block and at the 19 blocks before it. */
const LOOKBACK = 20;

type MarkedCut = PrefixCut & { at: number; ttl: '5m' | '1h' };

/**
 * Caches prefixes as Anthropic documents it. Only marks write entries. A request reads the longest
 * entry that its marks find, and writes the rest up to its last mark. Marks of a prefix below `minimum` are ignored.
 */
export function makeAnthropicCache(minimum = MINIMUM_PREFIX): PromptCache<AnthropicBody> {
  const entries = new Set<string>();
  return {
    take(body) {
      const blocks = anthropicBlocks(body);
      const refusal = refuseAnthropicMarks(blocks, body.cache_control ? 1 : 0);
      if (refusal) return { refusal };
      const cuts = cutPrefix(rootOf(body), saltBlocks(blocks, body));
      const long = cuts.map((cut) => (cut.tokens < minimum ? null : cut));
      const marks = marksOf(withAutomaticMark(blocks, body), long);
      const usage = countUse({ cuts, marks, read: tokensRead(marks, cuts, entries) });
      for (const { hash } of marks) entries.add(hash);
      return { usage };
    },
  };
}

/** A changed output format changes the system prompt that Anthropic adds itself. */
function rootOf({ model, output_config: output }: AnthropicBody): string {
  return JSON.stringify([model, output?.format ?? null]);
}

/** A changed tool choice, changed thinking, and images that appear or vanish discard the messages only. */
function saltBlocks(blocks: readonly AnthropicBlock[], { tool_choice: choice, thinking }: AnthropicBody) {
  const texts = blocks.map(textOfBlock);
  const hasImages = texts.some((text, at) => blocks[at]?.tier === 'messages' && text.includes('"type":"image"'));
  const settings = JSON.stringify([choice ?? { type: 'auto' }, thinking ?? { type: 'disabled' }, hasImages]);
  return blocks.map(({ tier, role }, at) => ({
    text: texts[at] ?? '',
    salt: tier === 'messages' ? `${role} ${settings}` : tier,
  }));
}

/** A mark of the top level belongs to the last block that can carry a mark. */
function withAutomaticMark(blocks: readonly AnthropicBlock[], { cache_control: mark }: AnthropicBody) {
  if (!mark) return blocks;
  const last = blocks.findLastIndex(({ value }) => !/^(redacted_)?thinking$/.test(String(value.type)));
  return blocks.map((block, at) =>
    at === last ? { ...block, value: { cache_control: mark, ...block.value } } : block,
  );
}

/** Lists the marks at the end of a prefix that can be cached. */
function marksOf(blocks: readonly AnthropicBlock[], cuts: readonly (PrefixCut | null)[]): MarkedCut[] {
  return blocks.flatMap((block, at) => {
    const [mark, cut] = [markOf(block), cuts[at]];
    return mark && cut ? [{ ...cut, at, ttl: ttlOf(mark) }] : [];
  });
}

function tokensRead(marks: readonly MarkedCut[], cuts: readonly PrefixCut[], entries: ReadonlySet<string>): number {
  const found = marks.map(({ at }) =>
    cuts.slice(Math.max(0, at - LOOKBACK + 1), at + 1).findLast(({ hash }) => entries.has(hash)),
  );
  return Math.max(0, ...found.map((cut) => cut?.tokens ?? 0));
}

type Use = { cuts: readonly PrefixCut[]; marks: readonly MarkedCut[]; read: number };

/** Entries for an hour come first. The others begin at the end of the last of them. */
function countUse({ cuts, marks, read }: Use): TokenCount {
  const endOf = (marked: readonly MarkedCut[]) => Math.max(read, ...marked.map(({ tokens }) => tokens));
  const hour = endOf(marks.filter(({ ttl }) => ttl === '1h'));
  const end = Math.max(hour, endOf(marks));
  return {
    ...freshCount((cuts.at(-1)?.tokens ?? 0) - end),
    read,
    writtenForHour: hour - read,
    written: end - hour,
  };
}

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

/** The number of blocks in which a mark finds an entry: its own block and the 19 blocks before it. */
const LOOKBACK = 20;

type MarkedCut = PrefixCut & { at: number; ttl: '5m' | '1h' };

/**
 * Makes a cache of prefixes as documented by Anthropic. Only marks write entries. A request reads the longest entry
 * that its marks find, and writes the rest up to its last mark. Marks of a prefix below `minimum` are ignored.
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

/** Returns the root of a prefix. The root has the output format, which changes Anthropic's own system prompt. */
function rootOf({ model, output_config: output }: AnthropicBody): string {
  return JSON.stringify([model, output?.format ?? null]);
}

/**
 * Adds a salt to the messages. A changed tool choice or thinking setting, and added or removed images, discard only
 * messages.
 */
function saltBlocks(blocks: readonly AnthropicBlock[], { tool_choice: choice, thinking }: AnthropicBody) {
  const texts = blocks.map(textOfBlock);
  const hasImages = texts.some((text, at) => blocks[at]?.tier === 'messages' && text.includes('"type":"image"'));
  const settings = JSON.stringify([choice ?? { type: 'auto' }, thinking ?? { type: 'disabled' }, hasImages]);
  return blocks.map(({ tier, role }, at) => ({
    text: texts[at] ?? '',
    salt: tier === 'messages' ? `${role} ${settings}` : tier,
  }));
}

/** Adds the mark of the top level to the last block that can have a mark. */
function withAutomaticMark(blocks: readonly AnthropicBlock[], { cache_control: mark }: AnthropicBody) {
  if (!mark) return blocks;
  const last = blocks.findLastIndex(({ value }) => !/^(redacted_)?thinking$/.test(String(value.type)));
  return blocks.map((block, at) =>
    at === last ? { ...block, value: { cache_control: mark, ...block.value } } : block,
  );
}

/** Returns the marks at the end of a prefix that can be cached. */
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

/** Counts the tokens of a use. Entries for an hour precede the others. */
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

import { isId } from '../../id.ts';

const HOSTED_PREFIXES = ['ws', 'ci', 'fs', 'ig'] as const;
export type HostedPrefix = (typeof HOSTED_PREFIXES)[number];

/**
 * The kinds of items, by the prefix of their ids: message, reasoning, call and result of a function, call and result
 * of a custom tool, call of a tool that Pawl runs, request to allow such a call, answer of a person, compaction, and
 * calls that the provider ran: web search, code, file search, image.
 */
const PREFIXES = ['msg', 'rs', 'fc', 'fco', 'ctc', 'ctco', 'mcp', 'mcpr', 'mcprr', 'cmp', ...HOSTED_PREFIXES] as const;
type ItemPrefix = (typeof PREFIXES)[number];

/**
 * The position of an item in a turn: `index` in its input, or in a round with this number. `call` is the index of a
 * call, or null for other items.
 */
export type ItemPosition =
  | { kind: 'input'; prefix: ItemPrefix; index: number }
  | { kind: 'round'; prefix: ItemPrefix; round: number; call: number | null };

/** Returns the id of a turn's response: `turn_X` becomes `resp_X`. */
export function responseIdOf(turnId: string): string {
  return `resp_${suffixOf(turnId)}`;
}

/** Returns the id of a response's turn, or undefined for any other text. */
export function turnIdOf(responseId: string): string | undefined {
  return responseId.startsWith('resp_') ? turnIdOfSuffix(responseId.slice(5)) : undefined;
}

/** Returns the id of an item of a turn, derived from its position: `msg_X_r2`, `fc_X_r2_0`, `fco_X_i3`. */
export function itemIdOf(turnId: string, place: ItemPosition): string {
  const head = `${place.prefix}_${suffixOf(turnId)}`;
  if (place.kind === 'input') return `${head}_i${place.index}`;
  return place.call === null ? `${head}_r${place.round}` : `${head}_r${place.round}_${place.call}`;
}

/** Returns whether an item is a call that the provider ran. */
export function isHostedPrefix(prefix: string): prefix is HostedPrefix {
  return HOSTED_PREFIXES.some((known) => known === prefix);
}

/** Returns the id of the request to allow a call of a turn. */
export function requestIdOf(turnId: string, { round, index }: { round: number; index: number }): string {
  return itemIdOf(turnId, { kind: 'round', prefix: 'mcpr', round, call: index });
}

/** Returns the turn and the position in an item's id, or undefined for any other text. */
export function readItemId(itemId: string): { turnId: string; place: ItemPosition } | undefined {
  const [, word, suffix, kind, number, call] = SHAPE.exec(itemId) ?? [];
  const prefix = PREFIXES.find((known) => known === word);
  const turnId = turnIdOfSuffix(suffix ?? '');
  if (!prefix || !turnId || (kind === 'i' && call !== undefined)) return undefined;
  if (kind === 'i') return { turnId, place: { kind: 'input', prefix, index: Number(number) } };
  const place = {
    kind: 'round' as const,
    prefix,
    round: Number(number),
    call: call === undefined ? null : Number(call),
  };
  return { turnId, place };
}

const SHAPE = /^([a-z]+)_([0-9a-z]{26})_([ir])(0|[1-9]\d{0,8})(?:_(0|[1-9]\d{0,8}))?$/;

function suffixOf(turnId: string): string {
  return turnId.slice(turnId.indexOf('_') + 1);
}

function turnIdOfSuffix(suffix: string): string | undefined {
  const turnId = `turn_${suffix}`;
  return isId('turn', turnId) ? turnId : undefined;
}

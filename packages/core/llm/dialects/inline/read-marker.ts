/** What a marker begins with: `[TOOL_CALL: name]` or `[TOOL_CALL: name {json}]`. */
const OPENING = '[TOOL_CALL:';

/** A call as a marker writes it; `arguments` is `{}`, JSON text, or whatever else stood there. */
export type MarkedCall = { name: string; arguments: string };

/** A marker while its characters arrive. */
export type MarkerDraft = {
  phase: 'opening' | 'name' | 'after-name' | 'json' | 'after-json' | 'raw';
  name: string;
  args: string;
  /** How much of an opening the last characters are: of this marker's own, later of another one inside it. */
  opened: number;
  /** Brackets that are open: braces in JSON, square ones in raw arguments. */
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether a line has ended where only white space or the marker's end may stand. */
  isPastLine: boolean;
};

/**
 * What a character makes of a draft. `open`: more is needed. `call`: the marker ends here. `text`: it is none.
 * `unclosed`: its JSON will never be closed, see `closeOnLine`.
 */
export type MarkerState = 'open' | 'call' | 'text' | 'unclosed';

/** A draft for what may be a marker, before its first character. */
export function startMarker(): MarkerDraft {
  const json = { depth: 0, inString: false, isEscaped: false };
  return { phase: 'opening', name: '', args: '', opened: 0, isPastLine: false, ...json };
}

/** Adds the next character to the draft. Nothing is looked at twice: a marker costs what it is long. */
export function readMarker(draft: MarkerDraft, char: string): MarkerState {
  switch (draft.phase) {
    case 'opening':
      return readOpening(draft, char);
    case 'name':
    case 'after-name':
      return readName(draft, char);
    case 'json':
      return readJson(draft, char);
    case 'after-json':
      return readBetween(draft, char);
    case 'raw':
      return readRaw(draft, char);
  }
}

/** The call of a complete marker; without arguments, `{}`. */
export function callOf({ name, args }: MarkerDraft): MarkedCall {
  return { name, arguments: args.trim() || '{}' };
}

/**
 * The call of a marker whose JSON is broken so that it never ends: the bracket that closes it on its line ends it.
 * `rest` is what followed it; null where there is no such bracket.
 */
export function closeOnLine({ name, args }: MarkerDraft): { call: MarkedCall; rest: string } | null {
  let depth = 0;
  for (let at = 0; at < args.length && args[at] !== '\n'; at += 1) {
    if (args[at] === '[') depth += 1;
    if (args[at] !== ']') continue;
    if (depth === 0) return { call: { name, arguments: args.slice(0, at).trim() }, rest: args.slice(at + 1) };
    depth -= 1;
  }
  return null;
}

function readOpening(draft: MarkerDraft, char: string): MarkerState {
  if (char !== OPENING[draft.opened]) return 'text';
  if (opens(draft, char)) draft.phase = 'name';
  return 'open';
}

function readName(draft: MarkerDraft, char: string): MarkerState {
  const isFirst = draft.name === '';
  if (isFirst && (char === ' ' || char === '\t')) return 'open';
  if (draft.phase === 'name' && (isFirst ? /[\p{L}\p{N}_]/u : /[\p{L}\p{N}_.-]/u).test(char)) {
    draft.name += char;
    return 'open';
  }
  if (isFirst) return 'text';
  if (char !== '{') {
    draft.phase = 'after-name';
    return readBetween(draft, char);
  }
  Object.assign(draft, { phase: 'json', args: char, depth: 1, opened: 0, isPastLine: false });
  return 'open';
}

function readJson(draft: MarkerDraft, char: string): MarkerState {
  draft.args += char;
  if (draft.isEscaped) draft.isEscaped = false;
  else if (draft.inString) {
    draft.isEscaped = char === '\\';
    draft.inString = char !== '"';
  } else if (char === '"') {
    draft.inString = true;
    draft.opened = 0;
  } else return readStructure(draft, char);
  return 'open';
}

/** A character of JSON outside its strings, where no other marker can begin. */
function readStructure(draft: MarkerDraft, char: string): MarkerState {
  if (opens(draft, char)) return 'unclosed';
  if (char === '{') draft.depth += 1;
  if (char === '}') draft.depth -= 1;
  if (draft.depth === 0) draft.phase = 'after-json';
  return 'open';
}

/** After the name, and after the JSON: the end, or something that is no JSON but still stands for the arguments. */
function readBetween(draft: MarkerDraft, char: string): MarkerState {
  if (char === ']') return 'call';
  if (/\s/.test(char)) {
    draft.isPastLine ||= char === '\n';
    draft.args += char;
    return 'open';
  }
  if (draft.isPastLine) return 'text';
  Object.assign(draft, { phase: 'raw', depth: 0, opened: 0 });
  return readRaw(draft, char);
}

function readRaw(draft: MarkerDraft, char: string): MarkerState {
  if (char === '\n' || opens(draft, char)) return 'text';
  if (char === ']' && draft.depth === 0) return 'call';
  if (char === '[') draft.depth += 1;
  if (char === ']') draft.depth -= 1;
  draft.args += char;
  return 'open';
}

/** Whether an opening ends with this character. */
function opens(draft: MarkerDraft, char: string): boolean {
  if (char === OPENING[draft.opened]) draft.opened += 1;
  else draft.opened = char === '[' ? 1 : 0;
  return draft.opened === OPENING.length;
}

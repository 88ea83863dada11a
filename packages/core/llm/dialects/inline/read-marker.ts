/** The beginning of a marker: `[TOOL_CALL: name]` or `[TOOL_CALL: name {json}]`. */
const OPENING = '[TOOL_CALL:';

/** The call of a marker. `arguments` is `{}`, JSON text, or any other text of the model. */
export type MarkedCall = { name: string; arguments: string };

/** A marker while its characters arrive. */
export type MarkerAccumulator = {
  phase: 'opening' | 'name' | 'after-name' | 'json' | 'after-json' | 'raw';
  name: string;
  args: string;
  /** How many characters of an opening were read: of this marker, later of a marker inside it. */
  opened: number;
  /** Open brackets: braces in JSON, square brackets in raw arguments. */
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether a line ended at a place for white space or the marker's end only. */
  isPastLine: boolean;
};

/**
 * The effect of a character on a marker. `text`: the text is not a marker. `unclosed`: its JSON never ends
 * (`closeOnLine`).
 */
export type MarkerState = 'open' | 'call' | 'text' | 'unclosed';

export function startMarker(): MarkerAccumulator {
  const json = { depth: 0, inString: false, isEscaped: false };
  return { phase: 'opening', name: '', args: '', opened: 0, isPastLine: false, ...json };
}

/** Adds the next character to the marker. It reads each character once. */
export function readMarker(marker: MarkerAccumulator, char: string): MarkerState {
  switch (marker.phase) {
    case 'opening':
      return readOpening(marker, char);
    case 'name':
    case 'after-name':
      return readName(marker, char);
    case 'json':
      return readJson(marker, char);
    case 'after-json':
      return readBetween(marker, char);
    case 'raw':
      return readRaw(marker, char);
  }
}

/** Returns the call of a complete marker, with `{}` if it has no arguments. */
export function callOf({ name, args }: MarkerAccumulator): MarkedCall {
  return { name, arguments: args.trim() || '{}' };
}

/**
 * Returns the call of a marker with broken JSON, which ends at a bracket on its line, and the `rest`. Null without a
 * bracket.
 */
export function closeOnLine({ name, args }: MarkerAccumulator): { call: MarkedCall; rest: string } | null {
  let depth = 0;
  for (let at = 0; at < args.length && args[at] !== '\n'; at += 1) {
    if (args[at] === '[') depth += 1;
    if (args[at] !== ']') continue;
    if (depth === 0) return { call: { name, arguments: args.slice(0, at).trim() }, rest: args.slice(at + 1) };
    depth -= 1;
  }
  return null;
}

function readOpening(marker: MarkerAccumulator, char: string): MarkerState {
  if (char !== OPENING[marker.opened]) return 'text';
  if (opens(marker, char)) marker.phase = 'name';
  return 'open';
}

function readName(marker: MarkerAccumulator, char: string): MarkerState {
  const isFirst = marker.name === '';
  if (isFirst && (char === ' ' || char === '\t')) return 'open';
  if (marker.phase === 'name' && (isFirst ? /[\p{L}\p{N}_]/u : /[\p{L}\p{N}_.-]/u).test(char)) {
    marker.name += char;
    return 'open';
  }
  if (isFirst) return 'text';
  if (char !== '{') {
    marker.phase = 'after-name';
    return readBetween(marker, char);
  }
  Object.assign(marker, { phase: 'json', args: char, depth: 1, opened: 0, isPastLine: false });
  return 'open';
}

function readJson(marker: MarkerAccumulator, char: string): MarkerState {
  marker.args += char;
  if (marker.isEscaped) marker.isEscaped = false;
  else if (marker.inString) {
    marker.isEscaped = char === '\\';
    marker.inString = char !== '"';
  } else if (char === '"') {
    marker.inString = true;
    marker.opened = 0;
  } else return readStructure(marker, char);
  return 'open';
}

/** Reads a character of JSON outside its strings, which no marker can contain. */
function readStructure(marker: MarkerAccumulator, char: string): MarkerState {
  if (opens(marker, char)) return 'unclosed';
  if (char === '{') marker.depth += 1;
  if (char === '}') marker.depth -= 1;
  if (marker.depth === 0) marker.phase = 'after-json';
  return 'open';
}

/** Reads a character after the name or after the JSON: the end, or raw text as the arguments. */
function readBetween(marker: MarkerAccumulator, char: string): MarkerState {
  if (char === ']') return 'call';
  if (/\s/.test(char)) {
    marker.isPastLine ||= char === '\n';
    marker.args += char;
    return 'open';
  }
  if (marker.isPastLine) return 'text';
  Object.assign(marker, { phase: 'raw', depth: 0, opened: 0 });
  return readRaw(marker, char);
}

function readRaw(marker: MarkerAccumulator, char: string): MarkerState {
  if (char === '\n' || opens(marker, char)) return 'text';
  if (char === ']' && marker.depth === 0) return 'call';
  if (char === '[') marker.depth += 1;
  if (char === ']') marker.depth -= 1;
  marker.args += char;
  return 'open';
}

/** Returns whether an opening ends with this character. */
function opens(marker: MarkerAccumulator, char: string): boolean {
  if (char === OPENING[marker.opened]) marker.opened += 1;
  else marker.opened = char === '[' ? 1 : 0;
  return marker.opened === OPENING.length;
}

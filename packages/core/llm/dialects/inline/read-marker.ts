/** What a marker begins with: `[TOOL_CALL: name]` or `[TOOL_CALL: name {json}]`. */
export const MARKER_OPENING = '[TOOL_CALL:';

/** A call as a marker writes it; `arguments` is `{}`, JSON text, or whatever else stood there. */
export type MarkedCall = { name: string; arguments: string };

/** A marker while its characters arrive. */
export type MarkerDraft = {
  phase: 'opening' | 'before-name' | 'name' | 'after-name' | 'json' | 'after-json' | 'raw';
  name: string;
  args: string;
  /** How much of an opening the last characters are: of this marker's own, later of another one within it. */
  opened: number;
  /** Brackets that are open: braces in JSON, square ones in raw arguments. */
  depth: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether a line has ended where only white space or the end may stand. */
  isPastLine: boolean;
};

/**
 * What a character makes of a draft. `open`: more is needed. `call`: the marker ends here. `text`: this is none.
 * `unclosed`: its JSON will not be closed, see `closeOnLine`.
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
    case 'before-name':
    case 'name':
    case 'after-name':
      return readName(draft, char);
    case 'json':
      return readJson(draft, char);
    case 'after-json':
      draft.args += char;
      return readBetween(draft, char);
    case 'raw':
      draft.args += char;
      return readRaw(draft, char);
  }
}

/** The call of a complete marker. */
export function callOf({ name, args }: MarkerDraft): MarkedCall {
  const text = args.trim();
  return { name, arguments: text.endsWith(']') ? text : text || '{}' };
}

function readOpening(draft: MarkerDraft, char: string): MarkerState {
  if (char !== MARKER_OPENING[draft.opened]) return 'text';
  draft.opened += 1;
  if (draft.opened === MARKER_OPENING.length) enter(draft, 'before-name');
  return 'open';
}

import { type CodePlace, passChar, settleTicks, startOfText } from './code-place.ts';
import {
  callOf,
  closeOnLine,
  type MarkedCall,
  type MarkerAccumulator,
  readMarker,
  startMarker,
} from './read-marker.ts';
import { endsThoughts, startThoughts, type ThoughtPlace } from './thought-place.ts';

/** A text with markers while it arrives. The boundaries of its chunks do not change the shown text. */
export type HoldBack = {
  /** A possible marker. The rest of the text follows it. */
  held: string;
  /** How far `held` has been read as a marker, or null if `held` may be inline code. */
  marker: MarkerAccumulator | null;
  place: CodePlace;
  thoughts: ThoughtPlace;
  gap: Gap;
  isStarted: boolean;
  /** The calls of all removed markers, in order. */
  calls: MarkedCall[];
  /** Held text to read again, before the next chunk. */
  again: string;
  /** How many characters may be read again. */
  rereads: number;
};

/** The longest marker, in characters. Longer markers, and text beyond the characters to read again, are plain text. */
const LONGEST_MARKER = 256 * 1024;
const MOST_REREADS = 1024 * 1024;

export function startHoldBack(): HoldBack {
  const reading = { again: '', rereads: MOST_REREADS };
  const place = { place: startOfText(), thoughts: startThoughts() };
  return { held: '', marker: null, ...place, gap: NO_GAP, isStarted: false, calls: [], ...reading };
}

/** Takes a chunk of text and returns the text to show now, without markers and possible markers. */
export function takeText(holding: HoldBack, text: string): string {
  // Text to read again precedes the rest of its chunk. A stack avoids recursion, since nesting may be as deep as the
  // text is long.
  const sources = [{ text, at: 0 }];
  let shown = '';
  for (let source = sources.at(-1); source; source = sources.at(-1)) {
    if (source.at === source.text.length) {
      sources.pop();
      continue;
    }
    shown += takeChar(holding, source.text.charAt(source.at));
    source.at += 1;
    if (holding.again) sources.push({ text: takeAgain(holding), at: 0 });
  }
  return shown;
}

/** Returns the remaining text at the end. A marker that was not closed is text. */
export function endText(holding: HoldBack): string {
  let shown = '';
  while (holding.held) shown += endHeld(holding) + takeText(holding, takeAgain(holding));
  return holding.gap.isCut ? shown : shown + holding.gap.before;
}

/** Returns a reply's text without its markers, or null if no text is left, and the calls of the markers. */
export function parseMarkers(text: string): { text: string | null; calls: MarkedCall[] } {
  const holding = startHoldBack();
  const shown = takeText(holding, text) + endText(holding);
  return { text: shown || null, calls: holding.calls };
}

function takeChar(holding: HoldBack, char: string): string {
  if (holding.held.length >= LONGEST_MARKER) return showPlain(holding, letGo(holding)) + takeChar(holding, char);
  if (holding.marker) return takeMarked(holding, holding.marker, char);
  if (holding.held) return takeQuoted(holding, char);
  holding.place = passChar(holding.place, char);
  if (passThoughts(holding, char) || char !== '[' || holding.place.code === 'fence') return show(holding, char);
  return takeMarked(holding, startMarker(), char);
}

/**
 * Returns whether a character belongs to thoughts. Markers in thoughts call no tool, even if only the end shows the
 * thoughts.
 */
function passThoughts(holding: HoldBack, char: string): boolean {
  const { thoughts, place } = holding;
  if (!thoughts.isThinking && place.code !== 'none') return false;
  if (!endsThoughts(thoughts, char)) return thoughts.isThinking;
  holding.calls = [];
  holding.place = startOfText();
  return true;
}

function takeMarked(holding: HoldBack, marker: MarkerAccumulator, char: string): string {
  switch (readMarker(marker, char)) {
    case 'open': {
      const mayBeQuoted = holding.place.code === 'span' && marker.phase !== 'opening';
      holding.held += char;
      holding.marker = mayBeQuoted ? null : marker;
      return '';
    }
    case 'call':
      cut(holding, callOf(marker));
      return '';
    case 'text':
      return release(holding, char);
    case 'unclosed':
      holding.held += char;
      return settleUnclosed(holding, marker);
  }
}

/**
 * Takes a character of possible inline code: a quotation if its backticks are closed on this line, otherwise a
 * marker.
 */
function takeQuoted(holding: HoldBack, char: string): string {
  const settled = char === '`' ? holding.place : settleTicks(holding.place);
  if (settled.code === 'none') return showHeld(holding) + takeChar(holding, char);
  if (char === '\n') return releaseFromCode(holding, char);
  holding.place = passChar(holding.place, char);
  holding.held += char;
  return '';
}

function endHeld(holding: HoldBack): string {
  if (holding.marker?.phase === 'json') return settleUnclosed(holding, holding.marker);
  if (holding.marker) return release(holding, '');
  return settleTicks(holding.place).code === 'none' ? showHeld(holding) : releaseFromCode(holding, '');
}

function settleUnclosed(holding: HoldBack, marker: MarkerAccumulator): string {
  const closed = closeOnLine(marker);
  if (!closed) return release(holding, '');
  cut(holding, closed.call);
  return readAgain(holding, closed.rest);
}

function cut(holding: HoldBack, call: MarkedCall): void {
  letGo(holding);
  holding.calls.push(call);
  holding.gap = cutGap(holding.gap);
}

/** Shows the bracket of held text that is not a marker, and reads the text after it again. */
function release(holding: HoldBack, next: string): string {
  const held = letGo(holding);
  return show(holding, held.charAt(0)) + readAgain(holding, held.slice(1) + next);
}

/** Reads held text again, since the backtick before it opened no code. */
function releaseFromCode(holding: HoldBack, next: string): string {
  const held = letGo(holding);
  holding.place = { ...startOfText(), isLineStart: false };
  return readAgain(holding, held + next);
}

/** Reads text again, within a limit, since nested markers would be read once for each marker. */
function readAgain(holding: HoldBack, text: string): string {
  if (text.length > holding.rereads) return showPlain(holding, text);
  // Short text, such as a bracket in prose, does not count.
  if (text.length > 1) holding.rereads -= text.length;
  holding.again = text;
  return '';
}

function takeAgain(holding: HoldBack): string {
  const { again } = holding;
  holding.again = '';
  return again;
}

/** Shows text without a search for markers. */
function showPlain(holding: HoldBack, text: string): string {
  let shown = '';
  for (const char of text) {
    holding.place = passChar(holding.place, char);
    shown += show(holding, char);
  }
  return shown;
}

/** Shows held text, which is a quotation. */
function showHeld(holding: HoldBack): string {
  holding.place = settleTicks(holding.place);
  return [...letGo(holding)].map((char) => show(holding, char)).join('');
}

function letGo(holding: HoldBack): string {
  const { held } = holding;
  holding.held = '';
  holding.marker = null;
  return held;
}

function show(holding: HoldBack, char: string): string {
  const { gap } = holding;
  if (/\s/.test(char)) {
    holding.gap = widenGap(gap, char);
    return '';
  }
  const isLeading = gap.isCut && !holding.isStarted;
  holding.gap = NO_GAP;
  holding.isStarted = true;
  return (isLeading ? '' : closeGap(gap, char)) + char;
}

/** White space that is not shown yet: before and after a removed marker, with the line ends of each. */
type Gap = { before: string; after: string; isCut: boolean; linesBefore: number; linesAfter: number };

/** A gap without white space and without a marker. */
const NO_GAP: Gap = { before: '', after: '', isCut: false, linesBefore: 0, linesAfter: 0 };

function widenGap(gap: Gap, space: string): Gap {
  const lines = space === '\n' ? 1 : 0;
  if (gap.isCut) return { ...gap, after: gap.after + space, linesAfter: gap.linesAfter + lines };
  return { ...gap, before: gap.before + space, linesBefore: gap.linesBefore + lines };
}

function cutGap({ before, after, linesBefore, linesAfter }: Gap): Gap {
  const isWider = linesBefore > linesAfter || after === '';
  const kept = isWider ? { before, linesBefore } : { before: after, linesBefore: linesAfter };
  return { ...kept, after: '', linesAfter: 0, isCut: true };
}

/** Returns the white space of a gap before `next`. After a removed marker, the side with more line ends stays. */
function closeGap({ before, after, isCut, linesBefore, linesAfter }: Gap, next: string): string {
  if (!isCut || linesBefore > linesAfter) return before;
  const isGlued = after === '' && !/[.,;:!?)\]}]/.test(next);
  return isGlued ? before : after;
}

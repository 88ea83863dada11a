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

/** A text with markers while it arrives. How it is cut into chunks makes no difference to what is shown of it. */
export type HoldBack = {
  /** What may be a marker; the rest of the text follows it. */
  held: string;
  /** How far it has been read as one; null where `held` stands in what may be inline code. */
  marker: MarkerAccumulator | null;
  place: CodePlace;
  thoughts: ThoughtPlace;
  gap: Gap;
  /** Whether anything was shown yet. */
  isStarted: boolean;
  /** The calls of all markers that were cut out, in order. */
  calls: MarkedCall[];
  /** What was held and is read anew, ahead of what comes next. */
  again: string;
  /** How many characters may still be read anew. */
  rereads: number;
};

/** In characters: what is longer, or would be read anew beyond that many, is text whatever it looks like. */
const LONGEST_MARKER = 256 * 1024;
const MOST_REREADS = 1024 * 1024;

/** The state before the first chunk. */
export function startHoldBack(): HoldBack {
  const reading = { again: '', rereads: MOST_REREADS };
  const place = { place: startOfText(), thoughts: startThoughts() };
  return { held: '', marker: null, ...place, gap: NO_GAP, isStarted: false, calls: [], ...reading };
}

/** Takes a chunk of text and answers what may be shown now: nothing of what is, or may become, a marker. */
export function takeText(holding: HoldBack, text: string): string {
  // What is read anew stands before the rest of its chunk; a stack, since a text may be nested as deep as it is long.
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

/** Answers what is left to show when nothing more comes: a marker that was not closed is text. */
export function endText(holding: HoldBack): string {
  let shown = '';
  while (holding.held) shown += endHeld(holding) + takeText(holding, takeAgain(holding));
  return holding.gap.isCut ? shown : shown + holding.gap.before;
}

/** A reply's text without its markers, null where nothing is left, and the calls they stand for. */
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

/** Whether a character belongs to thoughts. Markers in thoughts call nothing, also if the end alone shows them. */
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

/** In what is a quotation if its backticks are closed on this line, and else a marker after all. */
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

/** What is held is no marker: its bracket is text, and what follows it is read anew. */
function release(holding: HoldBack, next: string): string {
  const held = letGo(holding);
  return show(holding, held.charAt(0)) + readAgain(holding, held.slice(1) + next);
}

/** The backtick before what is held was only a backtick; what is held is read anew. */
function releaseFromCode(holding: HoldBack, next: string): string {
  const held = letGo(holding);
  holding.place = { ...startOfText(), isLineStart: false };
  return readAgain(holding, held + next);
}

/** Reading anew has an end: a text of markers within markers would be read once for each of them. */
function readAgain(holding: HoldBack, text: string): string {
  if (text.length > holding.rereads) return showPlain(holding, text);
  // A bracket in prose costs nothing: only what was long held back does.
  if (text.length > 1) holding.rereads -= text.length;
  holding.again = text;
  return '';
}

function takeAgain(holding: HoldBack): string {
  const { again } = holding;
  holding.again = '';
  return again;
}

/** Text in which no marker is looked for. */
function showPlain(holding: HoldBack, text: string): string {
  let shown = '';
  for (const char of text) {
    holding.place = passChar(holding.place, char);
    shown += show(holding, char);
  }
  return shown;
}

/** What is held is a quotation. */
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

/** White space that is not shown yet: before a marker that was cut out, and after it, with the line ends in each. */
type Gap = { before: string; after: string; isCut: boolean; linesBefore: number; linesAfter: number };

/** No white space, and no marker in it. */
const NO_GAP: Gap = { before: '', after: '', isCut: false, linesBefore: 0, linesAfter: 0 };

/** The gap with one more character of white space. */
function widenGap(gap: Gap, space: string): Gap {
  const lines = space === '\n' ? 1 : 0;
  if (gap.isCut) return { ...gap, after: gap.after + space, linesAfter: gap.linesAfter + lines };
  return { ...gap, before: gap.before + space, linesBefore: gap.linesBefore + lines };
}

/** The gap with one more marker cut out of it. */
function cutGap({ before, after, linesBefore, linesAfter }: Gap): Gap {
  const isWider = linesBefore > linesAfter || after === '';
  const kept = isWider ? { before, linesBefore } : { before: after, linesBefore: linesAfter };
  return { ...kept, after: '', linesAfter: 0, isCut: true };
}

/** The white space that is left of a gap before `next`. After a cut, the side that parts the text more stays. */
function closeGap({ before, after, isCut, linesBefore, linesAfter }: Gap, next: string): string {
  if (!isCut || linesBefore > linesAfter) return before;
  const isGlued = after === '' && !/[.,;:!?)\]}]/.test(next);
  return isGlued ? before : after;
}

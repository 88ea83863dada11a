import { type CodePlace, passChar, settleTicks, startOfText } from './code-place.ts';
import { closeGap, cutGap, type Gap, NO_GAP, widenGap } from './gap.ts';
import { callOf, closeOnLine, type MarkedCall, type MarkerDraft, readMarker, startMarker } from './read-marker.ts';

/** A text with markers while it arrives. How it is cut into pieces makes no difference to what is shown of it. */
export type HoldBack = {
  /** What may be a marker; the rest of the text follows it. */
  held: string;
  /** How far it has been read as one; null where `held` stands in what may be inline code. */
  marker: MarkerDraft | null;
  place: CodePlace;
  gap: Gap;
  /** Whether anything was shown yet. */
  isStarted: boolean;
  /** The calls of all markers that were cut out, in order. */
  calls: MarkedCall[];
};

/** The state before the first piece. */
export function startHoldBack(): HoldBack {
  return { held: '', marker: null, place: startOfText(), gap: NO_GAP, isStarted: false, calls: [] };
}

/** Takes a piece of text and answers what may be shown now: nothing of what is, or may become, a marker. */
export function takeText(holding: HoldBack, text: string): string {
  let shown = '';
  for (let at = 0; at < text.length; at += 1) shown += takeChar(holding, text.charAt(at));
  return shown;
}

/** Answers what is left to show when nothing more comes: a marker that was not closed is text. */
export function endText(holding: HoldBack): string {
  let shown = '';
  while (holding.held) shown += endHeld(holding);
  return holding.gap.isCut ? shown : shown + holding.gap.before;
}

function takeChar(holding: HoldBack, char: string): string {
  if (holding.marker) return takeMarked(holding, holding.marker, char);
  if (holding.held) return takeQuoted(holding, char);
  holding.place = passChar(holding.place, char);
  if (char !== '[' || holding.place.code === 'fence') return show(holding, char);
  return takeMarked(holding, startMarker(), char);
}

function takeMarked(holding: HoldBack, marker: MarkerDraft, char: string): string {
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

function settleUnclosed(holding: HoldBack, marker: MarkerDraft): string {
  const closed = closeOnLine(marker);
  if (!closed) return release(holding, '');
  cut(holding, closed.call);
  return takeText(holding, closed.rest);
}

function cut(holding: HoldBack, call: MarkedCall): void {
  letGo(holding);
  holding.calls.push(call);
  holding.gap = cutGap(holding.gap);
}

/** What is held is no marker: its bracket is text, and what follows it is read anew. */
function release(holding: HoldBack, next: string): string {
  const held = letGo(holding);
  return show(holding, held.charAt(0)) + takeText(holding, held.slice(1) + next);
}

/** The backtick before what is held was only a backtick; what is held is read anew. */
function releaseFromCode(holding: HoldBack, next: string): string {
  const held = letGo(holding);
  holding.place = { ...startOfText(), isLineStart: false };
  return takeText(holding, held + next);
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

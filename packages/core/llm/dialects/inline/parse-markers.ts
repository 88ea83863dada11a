import { endText, startHoldBack, takeText } from './hold-back.ts';
import type { MarkedCall } from './read-marker.ts';

/** A reply's text without its markers, null where nothing is left, and the calls they stand for. */
export function parseMarkers(text: string): { text: string | null; calls: MarkedCall[] } {
  const holding = startHoldBack();
  const shown = takeText(holding, text) + endText(holding);
  return { text: shown || null, calls: holding.calls };
}

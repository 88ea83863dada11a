import { readFileSync, writeFileSync } from 'node:fs';
import { instance } from '@viz-js/viz';

const DOT = new URL('./turn-states.dot', import.meta.url);
const SVG = new URL('./turn-states.svg', import.meta.url);

/** Draws `turn-states.dot` as SVG, with a title for screen readers. The same text gives the same drawing. */
export async function drawTurnStates(): Promise<string> {
  const viz = await instance();
  const svg = viz.renderString(readFileSync(DOT, 'utf8'), { format: 'svg' });
  return svg.slice(svg.indexOf('<svg')).replace('>', '>\n<title>States of a turn</title>');
}

if (import.meta.main) writeFileSync(SVG, await drawTurnStates());

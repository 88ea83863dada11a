import { readFileSync, writeFileSync } from 'node:fs';

const SPANS = new URL('./trace.json', import.meta.url);
const SVG = new URL('./trace.svg', import.meta.url);

/** A span as a collector received it. Times are in milliseconds since the creation of the turn. */
type Span = {
  name: string;
  spanId: string;
  parentSpanId: string;
  startMs: number;
  endMs: number;
  status: number;
  worker: string;
  note: string;
};

const WIDTH = 860;
const LEFT = 250;
const ROW = 30;
const TOP = 46;
const COLOURS: Record<string, string> = { invoke_agent: '#57606a', chat: '#0969da', execute_tool: '#8250df' };

/** Draws the spans of one turn on one time axis, as a trace viewer does. The same spans give the same drawing. */
export function drawTrace(): string {
  const spans: Span[] = JSON.parse(readFileSync(SPANS, 'utf8'));
  const endMs = Math.max(...spans.map((span) => span.endMs));
  const x = (ms: number) => Math.round(LEFT + (ms / endMs) * (WIDTH - LEFT - 24));
  const height = TOP + spans.length * ROW + 14;
  const rows = spans.map((span, index) => drawSpan(span, TOP + index * ROW, x));
  const seconds = Array.from({ length: Math.floor(endMs / 1000) + 1 }, (_, second) => drawSecond(second, x, height));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    '<title>The trace of a turn whose worker was killed in the middle</title>',
    `<rect width="${WIDTH}" height="${height}" fill="white"/>`,
    ...seconds,
    ...rows,
    '</svg>\n',
  ].join('\n');
}

function drawSpan(
  { name, parentSpanId, startMs, endMs, worker, note }: Span,
  y: number,
  x: (ms: number) => number,
): string {
  const [kind = ''] = name.split(' ');
  const indent = parentSpanId === '' ? 12 : 28;
  const width = Math.max(3, x(endMs) - x(startMs));
  const said = [worker, note].filter((text) => text !== '').join(', ');
  const isWide = width > 150;
  const at = isWide ? x(startMs) + 6 : x(startMs) > WIDTH - 260 ? x(startMs) - 6 : x(startMs) + width + 6;
  const anchor = !isWide && x(startMs) > WIDTH - 260 ? 'end' : 'start';
  return [
    `<text x="${indent}" y="${y + 15}" fill="#1f2328">${name}</text>`,
    `<rect x="${x(startMs)}" y="${y + 2}" width="${width}" height="18" rx="3" fill="${COLOURS[kind] ?? '#57606a'}"/>`,
    `<text x="${at}" y="${y + 15}" text-anchor="${anchor}" fill="${isWide ? 'white' : '#57606a'}">${said}</text>`,
  ].join('\n');
}

function drawSecond(second: number, x: (ms: number) => number, height: number): string {
  const at = x(second * 1000);
  return [
    `<line x1="${at}" x2="${at}" y1="28" y2="${height - 8}" stroke="#d1d9e0"/>`,
    `<text x="${at}" y="22" text-anchor="middle" fill="#57606a">${second} s</text>`,
  ].join('\n');
}

if (import.meta.main) writeFileSync(SVG, drawTrace());

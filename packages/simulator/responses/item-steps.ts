import type { Pace } from '../reply.ts';
import { sideBySide, slices } from '../slices.ts';
import { hostedSteps, openedHosted } from './hosted-steps.ts';
import type { OutputItem, OutputPart } from './output-items.ts';

/** An event of a streamed response. An event with `text` is a delta. */
export type Step = { type: string; fields: Record<string, unknown>; text?: string };

/** Cuts output items into their events: in sequence, or with the calls side by side. */
export function itemSteps(items: OutputItem[], { chunkChars, interleave }: Pace): Step[] {
  const steps = items.map((item, index) => [
    { type: 'response.output_item.added', fields: { output_index: index, item: openedItem(item) } },
    ...innerSteps(item, { item_id: item.id, output_index: index }, chunkChars),
    { type: 'response.output_item.done', fields: { output_index: index, item } },
  ]);
  const calls = items.findIndex((item) => item.type === 'function_call');
  if (!interleave || calls < 0) return steps.flat();
  return [...steps.slice(0, calls).flat(), ...sideBySide(steps.slice(calls))];
}

/** Groups events into those that are sent together. Each delta begins a group, and the first event. */
export function groupSteps(steps: Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const last = groups.at(-1);
    if (last && step.text === undefined) last.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** Renders an event as a named server-sent event. */
export function renderStep({ type, fields, text }: Step, sequenceNumber: number): string {
  const delta = text === undefined ? {} : { delta: text };
  const data = { type, sequence_number: sequenceNumber, ...fields, ...delta };
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function openedItem(item: OutputItem): Record<string, unknown> {
  switch (item.type) {
    case 'reasoning':
      return { id: item.id, type: item.type, summary: [] };
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    default:
      return openedHosted(item);
  }
}

type Place = { item_id: string; output_index: number };

function innerSteps(item: OutputItem, place: Place, chunkChars: number): Step[] {
  switch (item.type) {
    case 'reasoning':
      return item.summary.flatMap((part, index) => partSteps(part, { ...place, summary_index: index }, chunkChars));
    case 'message':
      return item.content.flatMap((part, index) => partSteps(part, { ...place, content_index: index }, chunkChars));
    case 'function_call': {
      const type = 'response.function_call_arguments';
      const done = { type: `${type}.done`, fields: { ...place, name: item.name, arguments: item.arguments } };
      return [...deltaSteps(`${type}.delta`, slices(item.arguments, chunkChars), place), done];
    }
    default:
      return hostedSteps(item, place, chunkChars);
  }
}

function partSteps(part: OutputPart, place: Record<string, unknown>, chunkChars: number): Step[] {
  const { parts, texts, fields } = eventsOf(part);
  const text = part.type === 'refusal' ? part.refusal : part.text;
  const empty = emptyPart(part);
  return [
    { type: `${parts}.added`, fields: { ...place, part: empty } },
    ...deltaSteps(`${texts}.delta`, slices(text, chunkChars), { ...place, ...fields }),
    ...annotationSteps(part, place),
    { type: `${texts}.done`, fields: { ...place, ...fields, [part.type === 'refusal' ? 'refusal' : 'text']: text } },
    { type: `${parts}.done`, fields: { ...place, part } },
  ];
}

function emptyPart(part: OutputPart): OutputPart {
  switch (part.type) {
    case 'refusal':
      return { ...part, refusal: '' };
    case 'summary_text':
      return { ...part, text: '' };
    case 'output_text':
      return { ...part, text: '', annotations: [] };
  }
}

function annotationSteps(part: OutputPart, place: Record<string, unknown>): Step[] {
  const annotations = part.type === 'output_text' ? part.annotations : [];
  return annotations.map((annotation, annotation_index) => ({
    type: 'response.output_text.annotation.added',
    fields: { ...place, annotation_index, annotation },
  }));
}

/** Returns the event names of a part and of its text, and the additional fields of the text events. */
function eventsOf(part: OutputPart): { parts: string; texts: string; fields: Record<string, unknown> } {
  switch (part.type) {
    case 'summary_text':
      return { parts: 'response.reasoning_summary_part', texts: 'response.reasoning_summary_text', fields: {} };
    case 'output_text':
      return { parts: 'response.content_part', texts: 'response.output_text', fields: { logprobs: [] } };
    case 'refusal':
      return { parts: 'response.content_part', texts: 'response.refusal', fields: {} };
  }
}

function deltaSteps(type: string, texts: string[], fields: Record<string, unknown>): Step[] {
  return texts.map((text) => ({ type, fields, text }));
}

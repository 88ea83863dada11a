import { type Part, plainPart } from '../../turn/request/item.ts';

/** What stands in the place of a part that a model cannot be given, for the model to read. */
export function missingNote(part: Part): string {
  return `${plainPart(part)} (It cannot be shown to you here.)`;
}

/** Parts as one text, for a place that takes no others: each on its own line, notes for what `mayShow` excludes. */
export function textWithNotes(parts: Part[], mayShow: (part: Part) => boolean = () => false): string {
  return parts
    .map((part) => (part.type === 'input_text' || mayShow(part) ? plainPart(part) : missingNote(part)))
    .join('\n');
}

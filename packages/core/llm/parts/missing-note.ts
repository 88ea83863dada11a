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

/** A user's parts as a wire takes them: without blank texts, and with a note for each part that `render` does not know. */
export function renderWithNotes<Rendered>(parts: Part[], render: (part: Part) => Rendered | null): Rendered[] {
  const said = parts.filter((part) => part.type !== 'input_text' || part.text.trim() !== '');
  return said.flatMap((part) => render(part) ?? render({ type: 'input_text', text: missingNote(part) }) ?? []);
}

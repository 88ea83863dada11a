import { type Part, plainPart } from '../../turn/request/item.ts';

/** Returns the note for the model in place of an unsupported part. */
export function missingNote(part: Part): string {
  return `${plainPart(part)} (It cannot be shown to you here.)`;
}

/** Returns parts as one text, each on its own line, with notes for parts that `mayShow` excludes. */
export function textWithNotes(parts: Part[], mayShow: (part: Part) => boolean = () => false): string {
  return parts
    .map((part) => (part.type === 'input_text' || mayShow(part) ? plainPart(part) : missingNote(part)))
    .join('\n');
}

/** Renders a user's parts without blank texts, and with a note for each part that `render` does not support. */
export function renderWithNotes<Rendered>(parts: Part[], render: (part: Part) => Rendered | null): Rendered[] {
  const said = parts.filter((part) => part.type !== 'input_text' || part.text.trim() !== '');
  return said.flatMap((part) => render(part) ?? render({ type: 'input_text', text: missingNote(part) }) ?? []);
}

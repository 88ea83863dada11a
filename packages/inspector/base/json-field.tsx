import { createRef } from 'preact';
import { PawlError } from '#client/connect-pawl.ts';
import { prettyJson } from './fact-list.tsx';
import { placeIn, stepsWithin } from './json-place.ts';

/** A field of JSON that its form holds: `JsonInput` shows it, and the form reads it. */
export class JsonField {
  readonly label: string;
  readonly before: string;
  readonly field = createRef<HTMLTextAreaElement>();
  readonly problem = createRef<HTMLParagraphElement>();

  constructor(label: string, value: unknown) {
    this.label = label;
    this.before = prettyJson(value);
  }

  get isChanged(): boolean {
    return this.field.current !== null && this.field.current.value !== this.before;
  }

  /** The value of the text. Throws if the text is not JSON. */
  read(): unknown {
    try {
      return JSON.parse(this.field.current?.value ?? this.before);
    } catch (error) {
      this.report(error instanceof Error ? error.message : String(error));
      throw new Error(`${this.label} is not valid JSON yet. Correct it.`);
    }
  }

  /** Shows a refusal of this value at its line, and selects the place. Returns false if another field was refused. */
  refuse(error: unknown, root: string): boolean {
    const steps = error instanceof PawlError && error.param !== null ? stepsWithin(error.param, root) : null;
    const field = this.field.current;
    if (!(error instanceof PawlError) || steps === null || field === null) return false;
    const { from, to } = placeIn(field.value, steps);
    this.report(`Line ${field.value.slice(0, from).split('\n').length}: ${error.message}`);
    field.focus();
    field.setSelectionRange(from, to);
    return true;
  }

  report(text: string): void {
    if (this.problem.current) this.problem.current.textContent = text;
    if (text) this.field.current?.setAttribute('aria-invalid', 'true');
    else this.field.current?.removeAttribute('aria-invalid');
  }
}

/** The text area of a JSON field, with the problem below it. */
export function JsonInput({ json }: { json: JsonField }) {
  return (
    <div class="json-field">
      <label>
        {json.label}
        <textarea
          ref={json.field}
          class="json"
          rows={Math.min(json.before.split('\n').length + 1, 16)}
          spellcheck={false}
          defaultValue={json.before}
          onInput={() => json.report('')}
        />
      </label>
      <p ref={json.problem} class="problem" role="alert" />
    </div>
  );
}

import { createRef } from 'preact';
import { PawlError } from '#client/connect-pawl.ts';
import { prettyJson } from './fact-list.tsx';

/** A JSON field of a form. `JsonInput` shows it, and the form reads it. */
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

  /** Returns the value of the text. Throws if the text is not JSON. */
  read(): unknown {
    try {
      return JSON.parse(this.field.current?.value ?? this.before);
    } catch (error) {
      this.report(error instanceof Error ? error.message : String(error));
      throw new Error(`${this.label} is not valid JSON yet. Correct it.`);
    }
  }

  /**
   * Shows the refusal of this value at its line, and selects the position. Returns false if it concerns another
   * field.
   */
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

/** The range of a value in a text of JSON, and the ranges inside it by name or number. */
type JsonPlace = { from: number; to: number; inside: Map<string, JsonPlace> };

const SPACE = /\s*/y;
const ATOM = /"(?:[^"\\]|\\.)*"|[^\s,\]}]+/y;

/** Returns the range of the value at a path in JSON, or of its nearest parent if the path is missing. */
function placeIn(text: string, path: string[]): JsonPlace {
  let place = placeAt(text, after(text, 0));
  for (const step of path) place = place.inside.get(step) ?? place;
  return place;
}

/** Returns the steps of a path within a root: `approvals[0].arguments.items[2]` within `approvals[0].arguments`. */
function stepsWithin(param: string, root: string): string[] | null {
  return param.startsWith(root) ? (param.slice(root.length).match(/[^.[\]]+/g) ?? []) : null;
}

/** Returns the first position from `at` without a space. */
function after(text: string, at: number) {
  SPACE.lastIndex = at;
  SPACE.exec(text);
  return SPACE.lastIndex;
}

function placeAt(text: string, from: number): JsonPlace {
  const opening = text[from];
  if (opening === '{' || opening === '[') return placeOfMany(text, from, opening === '{');
  return { from, to: endOfAtom(text, from), inside: new Map() };
}

function endOfAtom(text: string, from: number) {
  ATOM.lastIndex = from;
  return ATOM.exec(text) ? ATOM.lastIndex : from + 1;
}

function placeOfMany(text: string, from: number, isObject: boolean): JsonPlace {
  const inside = new Map<string, JsonPlace>();
  let at = after(text, from + 1);
  while (at < text.length && !'}]'.includes(text[at] ?? '')) {
    let name = String(inside.size);
    if (isObject) {
      const end = endOfAtom(text, at);
      name = JSON.parse(text.slice(at, end));
      at = after(text, after(text, end) + 1);
    }
    const place = placeAt(text, at);
    inside.set(name, place);
    at = after(text, place.to);
    if (text[at] === ',') at = after(text, at + 1);
  }
  return { from, to: at + 1, inside };
}

import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PawlError } from '#client/connect-pawl.ts';

type FieldProps = InputHTMLAttributes & {
  name: string;
  label: string;
  refused: PawlError | null;
  rows?: number;
  children?: ComponentChildren;
};

/**
 * A field of a request. Its name is its path in the request: a refusal of the path marks the field, which takes the
 * focus. The children follow the input.
 */
export function RequestField({ name, label, refused, rows, defaultValue, required, ...rest }: FieldProps) {
  const { class: looks = '', children, ...more } = rest;
  const place = useRef<HTMLDivElement>(null);
  const problem = problemOf(refused, name);
  const given = { id: name, name, required, defaultValue, ...(problem && { 'aria-invalid': true }) };
  useEffect(() => {
    if (problem === null) return;
    place.current?.closest('details')?.setAttribute('open', '');
    place.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [problem]);
  return (
    <div ref={place} class={`json-field ${looks}`}>
      <label for={name}>{label}</label>
      {rows ? <textarea rows={rows} {...given} /> : <input {...given} {...more} />}
      {children}
      <Problem problem={problem} />
    </div>
  );
}

/** Returns the refusal if it concerns the field. */
export function problemOf(refused: PawlError | null, name: string): PawlError | null {
  return refused !== null && concerns(refused, name) ? refused : null;
}

/** The sentence of a refusal, below its field. */
export function Problem({ problem }: { problem: PawlError | null }) {
  return (
    problem && (
      <p class="problem" role="alert">
        {problem.message}
      </p>
    )
  );
}

/** Whether a refusal concerns a field of the request, or a value inside the field. */
export function concerns({ param }: PawlError, name: string): boolean {
  return param === name || (param?.startsWith(name) === true && /^[.[]/.test(param.slice(name.length)));
}

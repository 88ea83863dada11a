import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PawlError } from '#client/connect-pawl.ts';

type FieldProps = InputHTMLAttributes & {
  name: string;
  label: string;
  refused: PawlError | null;
  rows?: number;
  children?: ComponentChildren;
};

/**
 * A field of a request. Its name is its path in the request. A refusal of the path marks and focuses the field. The
 * children follow the input.
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

export function problemOf(refused: PawlError | null, name: string): PawlError | null {
  return refused !== null && concerns(refused, name) ? refused : null;
}

export function Problem({ problem }: { problem: PawlError | null }) {
  return (
    problem && (
      <p class="problem" role="alert">
        {problem.message}
      </p>
    )
  );
}

/** The options of fields that name this `id` as their list. */
export function Options({ id, values }: { id: string; values: string[] }) {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

/** Makes a form of `RequestField`s. `press` sends a valid form, and keeps a refusal of its fields as `refused`. */
export function useRequest(send: (form: HTMLFormElement) => Promise<unknown>) {
  const form = useRef<HTMLFormElement>(null);
  const [refused, setRefused] = useState<PawlError | null>(null);
  const press = async () => {
    if (!form.current?.reportValidity()) return;
    setRefused(null);
    try {
      await send(form.current);
    } catch (error) {
      const names = [...new FormData(form.current).keys()];
      if (!(error instanceof PawlError && names.some((name) => concerns(error, name)))) throw error;
      setRefused(error);
    }
  };
  return { form, refused, press, field: (name: string, label: string) => ({ name, label, refused }) };
}

/** Returns whether a refusal concerns a field of the request, or a value inside the field. */
function concerns({ param }: PawlError, name: string): boolean {
  return param === name || (param?.startsWith(name) === true && /^[.[]/.test(param.slice(name.length)));
}

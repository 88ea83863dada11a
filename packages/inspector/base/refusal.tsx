import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ActionButton } from './buttons.tsx';
import type { Fresh } from './use-fresh.ts';

/** The message of a refusal, with a button to try again. */
export function Refusal({ refused, again }: { refused: Error | null; again: () => unknown }) {
  if (refused === null) return null;
  return (
    <section class="panel trouble failed" role="alert">
      <p>{refused.message}</p>
      <div class="actions">
        <ActionButton work={again}>Try again</ActionButton>
      </div>
    </section>
  );
}

export function Skeleton() {
  return <div class="skeleton" role="status" aria-label="Loading" />;
}

type LoadedProps<Data> = { from: Fresh<Data>; children: (data: Data) => ComponentChildren };

/** The data of a reading with its refusal, or grey lines before the first answer. */
export function Loaded<Data>({ from: { data, refused, again }, children }: LoadedProps<Data>) {
  return (
    <>
      <Refusal refused={refused} again={again} />
      {data === null ? refused === null && <Skeleton /> : children(data)}
    </>
  );
}

type LazyFoldProps = { title: ComponentChildren; looks?: string; read: () => Promise<ComponentChildren> };

/** A fold that renders its content while it is open. */
export function Fold({ title, looks, children }: Omit<LazyFoldProps, 'read'> & { children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class={looks} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}

/** A fold for long content that is rarely needed. It reads the content when a person first opens it. */
export function LazyFold({ title, looks, read }: LazyFoldProps) {
  const [inside, setInside] = useState<ComponentChildren>(null);
  const fill = async () => {
    setInside(<p class="meta">Loading …</p>);
    try {
      setInside(await read());
    } catch (error) {
      setInside(<Refusal refused={error instanceof Error ? error : new Error(String(error))} again={fill} />);
    }
  };
  return (
    <details class={looks} onToggle={(event) => event.currentTarget.open && inside === null && fill()}>
      <summary>{title}</summary>
      <div class="inside">{inside}</div>
    </details>
  );
}

type EmptyProps = { title: string; text?: string; href?: string; action?: string };

/** The text in place of an empty list, with a link to the next action. */
export function Empty({ title, text, href, action }: EmptyProps) {
  return (
    <section class="none">
      <h2>{title}</h2>
      {text && <p>{text}</p>}
      {href && (
        <a class="button primary" href={href}>
          {action}
        </a>
      )}
    </section>
  );
}

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

type ActionProps = {
  looks?: string;
  label?: string | undefined;
  title?: string;
  submits?: boolean;
  isOn?: boolean;
  work: () => unknown;
  report?: (failure: string) => void;
  children: ComponentChildren;
};

/**
 * A button that runs its work once per press, and shows a failure with `report`. `label` names it for screen readers,
 * `title` explains its work. `pressSubmit` presses a button that submits. With `isOn` the button is a switch.
 */
export function ActionButton({ looks, label, title, work, report = notice, children, ...kind }: ActionProps) {
  const { submits = false, isOn } = kind;
  const [isBusy, setBusy] = useState(false);
  const press = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      await work();
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type={submits ? 'submit' : 'button'}
      class={looks}
      aria-label={label}
      title={title}
      {...(isOn !== undefined && { role: 'switch', 'aria-checked': isOn })}
      aria-busy={isBusy || undefined}
      onClick={press}
    >
      {children}
    </button>
  );
}

export function pressSubmit(field: HTMLTextAreaElement | HTMLInputElement | null): void {
  field?.form?.querySelector<HTMLElement>('[type=submit]')?.click();
}

/** A button that copies a text. `label` names it for screen readers. */
export function CopyButton({ text, label, children }: { text: () => string; label?: string; children: string }) {
  return (
    <ActionButton looks="quiet" label={label} work={() => copy(text())}>
      {children}
    </ActionButton>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers allow access to the clipboard on HTTPS and localhost only.
    throw new Error('This browser does not let the page copy here. Select the text instead.');
  }
  notice('Copied.');
}

const SHOWN_MS = 6_000;
let hiding: ReturnType<typeof setTimeout> | undefined;

/** Shows a text for a few seconds at the foot of the page, and reads it to screen readers. */
export function notice(text: string): void {
  const container = document.getElementById('notice');
  if (!container) return;
  container.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    container.textContent = '';
  }, SHOWN_MS);
}

import type { ComponentChildren } from 'preact';
import { formatAge, formatDateTime } from './time.ts';
import { wordsOf } from './words.ts';

/** A status in colour and in words, for turns, tool calls and deliveries. */
export function StatusBadge({ status }: { status: string }) {
  return <span class={`badge ${status}`}>{wordsOf(status)}</span>;
}

/** The age of a moment, with the date and time as its tooltip. */
export function Age({ at }: { at: string }) {
  return (
    <time class="meta age" dateTime={at} title={formatDateTime(at)}>
      {formatAge(at)}
    </time>
  );
}

export type Fact = [name: string, value: ComponentChildren];

/** Facts by name. A fact without a value is omitted. */
export function FactList({ facts, looks = 'facts' }: { facts: Fact[]; looks?: string }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== false && value !== '');
  return (
    <dl class={looks}>
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A preformatted text, unchanged, which the keyboard can scroll. `label` names it for screen readers. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <pre {...scrollable(label)}>
      <code>{text}</code>
    </pre>
  );
}

/** Returns the attributes of a scrollable region. It takes the focus, so that the keyboard can scroll it. */
export function scrollable(label: string) {
  return { tabIndex: 0, role: 'region', 'aria-label': label } as const;
}

/** Returns a value, or JSON in a text, as indented JSON. Returns any other text unchanged. */
export function prettyJson(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2);
  try {
    const parsed = JSON.parse(value);
    return typeof parsed === 'object' ? JSON.stringify(parsed, null, 2) : value;
  } catch {
    return value;
  }
}

import { useRef } from 'preact/hooks';
import { openDialog } from './dialog.tsx';

const STORAGE_KEY = 'pawl.key';

let pending: Promise<boolean> | null = null;

/** Returns the API key of this tab, or null before a request has needed a key. The browser forgets it with the tab. */
export function storedKey(): string | null {
  return sessionStorage.getItem(STORAGE_KEY);
}

/** Asks the person for a key, once for all requests that need it. Resolves to false if the dialog is dismissed. */
export function requestKey(): Promise<boolean> {
  pending ??= openDialog((close) => <KeyForm close={close} />)
    .then((value) => value === 'taken')
    .finally(() => {
      pending = null;
    });
  return pending;
}

function KeyForm({ close }: { close: (value: string) => void }) {
  const field = useRef<HTMLInputElement>(null);
  const wasRefused = storedKey() !== null;
  const take = (event: Event) => {
    event.preventDefault();
    sessionStorage.setItem(STORAGE_KEY, field.current?.value.trim() ?? '');
    close('taken');
  };
  return (
    <form onSubmit={take}>
      <h2 id="ask-title">This API needs a key</h2>
      <p role={wasRefused ? 'alert' : undefined}>
        {wasRefused
          ? 'That key was not accepted. Try another.'
          : 'Enter a key of PAWL_API_KEYS (without its project), or a key of PAWL_PROJECTS.'}
      </p>
      <label for="key">Key</label>
      <input
        id="key"
        ref={field}
        type="password"
        autocomplete="off"
        required
        autofocus
        pattern="[!-~]+"
        title="A key has no spaces and only plain characters."
      />
      <p class="hint">The key stays in this tab and is sent to this API only.</p>
      <div class="actions">
        <button class="primary" type="submit">
          Use this key
        </button>
      </div>
    </form>
  );
}

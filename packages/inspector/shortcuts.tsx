import { openDialog } from './base/dialog.tsx';

/** The effect of each key. The key `?` shows this list. */
const KEYS = [
  ['j', 'Next row, turn or call'],
  ['k', 'Previous row, turn or call'],
  ['Enter', 'Open it'],
  ['n', 'New turn'],
  ['r', 'Reply in a conversation'],
  ['/', 'Find'],
  ['Escape', 'Leave the field, or go back to the list'],
  ['?', 'This help'],
] as const;

/** Handles the keys of the page. Leaves fields, dialogs and the browser's own keys alone. */
export function listenToShortcuts(): void {
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    const { target } = event;
    const isWriting = target instanceof Element && target.matches('input, textarea, select');
    if (isWriting) {
      if (event.key === 'Escape' && target instanceof HTMLElement) target.blur();
      return;
    }
    if (press(event.key)) event.preventDefault();
  });
}

function press(key: string): boolean {
  switch (key) {
    case 'j':
    case 'k':
      return move(key === 'j' ? 1 : -1);
    case 'n':
      location.hash = '#/new';
      return true;
    case 'Escape':
      location.hash = listOf(location.hash);
      return true;
    case 'r':
      return reply();
    case '/':
      return find();
    case '?':
      openDialog((close) => <KeyHelp close={close} />);
      return true;
    default:
      return false;
  }
}

/** Returns the address of the list that has the page of an address. */
function listOf(hash: string): string {
  return ['#/conversations', '#/agents'].find((list) => hash.startsWith(`${list}/`)) ?? '#/turns';
}

function move(by: 1 | -1) {
  const all = document.querySelectorAll(
    'a.row, summary.row, a.example, .thread-turn, .chain a, .call summary, .folded > details > summary',
  );
  const rows = [...all].filter((row) => row.checkVisibility());
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at === -1 && by === -1 ? rows.length - 1 : Math.min(Math.max(at + by, 0), rows.length - 1)];
  if (!(next instanceof HTMLElement)) return false;
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
  return true;
}

function reply() {
  const field = document.getElementById('reply');
  field?.focus();
  return field !== null;
}

function find() {
  const field = document.getElementById('find');
  if (!field) location.hash = '#/turns';
  field?.focus();
  return true;
}

function KeyHelp({ close }: { close: () => void }) {
  return (
    <div class="question">
      <h2 id="ask-title">Keys</h2>
      <dl class="facts">
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}

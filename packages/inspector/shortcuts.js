/**
 * Lets the page be moved through by keys: `j` and `k` from turn to turn, `Escape` back, `n` a new turn, `r` reply, `/` find.
 * They leave fields, dialogs and the browser's own keys alone.
 */
export function listenToShortcuts() {
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

/**
 * @param {string} key
 * @returns {boolean} whether it meant something
 */
function press(key) {
  switch (key) {
    case 'j':
    case 'k':
      return move(key === 'j' ? 1 : -1);
    case 'n':
      location.hash = '#/new';
      return true;
    case 'Escape':
      location.hash = location.hash.startsWith('#/conversations/') ? '#/conversations' : '#/turns';
      return true;
    case 'r':
      return reply();
    case '/':
      return find();
    default:
      return false;
  }
}

/** @param {1 | -1} by */
function move(by) {
  const all = document.querySelectorAll(
    'a.row, a.example, .thread-turn, .chain a, .call summary, .folded > details > summary',
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

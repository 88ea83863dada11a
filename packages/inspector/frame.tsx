import type { ComponentChildren } from 'preact';
import { urlOf } from './base/call.ts';
import { focusMain } from './base/keep-focus.ts';
import { useFresh } from './base/use-fresh.ts';

const PAGES = [
  ['overview', 'Overview'],
  ['conversations', 'Conversations'],
  ['turns', 'Turns'],
  ['agents', 'Agents'],
  ['schedules', 'Schedules'],
  ['workers', 'Workers'],
] as const;

const KEYS = [
  ['j', 'next'],
  ['k', 'previous'],
  ['↵', 'open'],
  ['esc', 'back'],
  ['n', 'new turn'],
  ['/', 'find'],
  ['?', 'help'],
] as const;

/** The head of every page, the reasons why turns do not run, the page, and the keys. `section` is marked as current. */
export function Frame({ section, children }: { section: string; children: ComponentChildren }) {
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href="#/turns">
          <img src="inspector/icon.svg" alt="" width="22" height="22" />
          Pawl
        </a>
        <nav aria-label="Pages">
          {PAGES.map(([page, name]) => (
            <a key={page} href={`#/${page}`} aria-current={page === section ? 'page' : undefined}>
              {name}
            </a>
          ))}
          <a href="docs">API</a>
        </nav>
        <a class="button" href="#/new">
          New turn
        </a>
      </header>
      <ServiceNotes />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <div id="notice" role="status" aria-live="polite" />
      <footer class="keys">
        {KEYS.map(([key, does]) => (
          <span key={key}>
            <kbd>{key}</kbd> {does}
          </span>
        ))}
      </footer>
    </>
  );
}

/** Shows, above every page, the API's reasons why turns do not run now. */
function ServiceNotes() {
  const { data: notes } = useFresh(readNotes, { everyMs: 5_000 });
  return (
    <div id="away" role="status">
      {notes?.map((note) => (
        <p key={note}>{note}</p>
      ))}
    </div>
  );
}

/** Returns no notes if the API does not answer, since the requests of the page report that. */
async function readNotes(): Promise<string[]> {
  try {
    const { notes, error } = await (await fetch(urlOf('/readyz'))).json();
    return notes ?? [error.message];
  } catch {
    return [];
  }
}

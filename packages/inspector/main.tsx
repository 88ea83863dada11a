import { type ComponentChildren, type ComponentType, render } from 'preact';
import { useErrorBoundary, useLayoutEffect, useState } from 'preact/hooks';
import { AgentPage } from './agents/agent-page.tsx';
import { AgentsPage } from './agents/agents-page.tsx';
import { spellBidiControls } from './base/bidi-controls.ts';
import { focusMain, keepFocus } from './base/keep-focus.ts';
import { Refusal } from './base/refusal.tsx';
import { ComparePage } from './compare/compare-page.tsx';
import { ConversationPage } from './conversation/conversation-page.tsx';
import { Frame } from './frame.tsx';
import { ConversationsPage, ListPage } from './list/list-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { type Route, readRoute } from './route.ts';
import { SchedulesPage } from './schedules/schedules-page.tsx';
import { listenToShortcuts } from './shortcuts.tsx';
import { NewPage } from './start/new-page.tsx';
import { TurnPage } from './turn/turn-page.tsx';
import { WorkersPage } from './workers/workers-page.tsx';

const PAGES: Record<Route['page'], ComponentType<Route>> = {
  turns: ListPage,
  turn: TurnPage,
  conversations: ConversationsPage,
  conversation: ConversationPage,
  compare: ComparePage,
  agents: AgentsPage,
  agent: AgentPage,
  schedules: SchedulesPage,
  new: NewPage,
  overview: OverviewPage,
  workers: WorkersPage,
};

/** Pages that the navigation lists under another page. */
const SECTIONS: Partial<Record<Route['page'], string>> = {
  turn: 'turns',
  compare: 'conversations',
  conversation: 'conversations',
  agent: 'agents',
};

/** The page of the address. Another address is another page and keeps no state. */
function App() {
  const [hash, setHash] = useState(location.hash);
  // An effect after the first paint would miss an address that changes before it.
  useLayoutEffect(() => {
    const show = () => {
      setHash(location.hash);
      focusMain();
      scrollTo(0, 0);
    };
    addEventListener('hashchange', show);
    return () => removeEventListener('hashchange', show);
  }, []);
  const route = readRoute(hash);
  const Page = PAGES[route.page];
  return (
    <Frame section={SECTIONS[route.page] ?? route.page}>
      <Guard key={hash}>
        <Page {...route} />
      </Guard>
    </Frame>
  );
}

/** Shows the message of an error in its page, which would otherwise stay blank. */
function Guard({ children }: { children: ComponentChildren }) {
  const [error, again] = useErrorBoundary();
  return error ? <Refusal refused={error} again={again} /> : children;
}

spellBidiControls();
keepFocus();
listenToShortcuts();
render(<App />, document.getElementById('page') as HTMLElement);

import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../base/call.ts';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import { useFresh } from '../base/use-fresh.ts';
import { type Description, type Operation, readDescription } from './description.ts';
import { Hint } from './fields.tsx';
import { MethodBadge, OperationView } from './operation-view.tsx';

function DocsPage() {
  const read = async (signal: AbortSignal) => readDescription(await call('GET', '/openapi.json', { signal }));
  const { data: api, refused, again } = useFresh(read, { everyMs: 60_000, mayRead: () => false });
  if (api) return <Reference api={api} />;
  return (
    <main id="main" tabIndex={-1}>
      <h1>API reference</h1>
      {refused ? <Refusal refused={refused} again={again} /> : <Skeleton />}
    </main>
  );
}

function Reference({ api: { info, key, tags } }: { api: Description }) {
  const [wanted, find] = useState('');
  const isHidden = ({ method, path, summary, operationId }: Operation) =>
    !`${method} ${path} ${summary} ${operationId}`.toLowerCase().includes(wanted.trim().toLowerCase());
  useEffect(() => {
    openNamed();
    addEventListener('hashchange', openNamed);
    addEventListener('keydown', listen);
  }, []);
  return (
    <div class="reference">
      <nav class="contents" aria-label="Operations">
        <input
          id="find"
          type="search"
          placeholder="Find  /"
          aria-label="Find an operation"
          value={wanted}
          onInput={({ currentTarget }) => find(currentTarget.value)}
        />
        {tags.map(({ name, operations }) => (
          <section key={name} hidden={operations.every(isHidden)}>
            <h2 class="hint">{name}</h2>
            {operations.map((one) => (
              <OperationLink key={one.operationId} operation={one} hidden={isHidden(one)} />
            ))}
          </section>
        ))}
      </nav>
      <main id="main" tabIndex={-1}>
        <h1>
          {info.title} API {info.version}
        </h1>
        <p>{info.description}</p>
        <Hint text={`Send a key as \`Authorization: Bearer <key>\`. ${key}`} />
        {tags.map(({ name, description, operations }) => (
          <section key={name} class="tag" hidden={operations.every(isHidden)}>
            <h2>{name}</h2>
            <Hint text={description} />
            {operations.map((one) => (
              <OperationView key={one.operationId} operation={one} hidden={isHidden(one)} />
            ))}
          </section>
        ))}
      </main>
    </div>
  );
}

function OperationLink({ operation, hidden }: { operation: Operation; hidden: boolean }) {
  const { operationId, method, path, summary } = operation;
  return (
    <a class="operation-link" href={`#${operationId}`} title={summary} hidden={hidden}>
      <MethodBadge method={method} /> {path}
    </a>
  );
}

/** Opens the operation of the address, and scrolls to it. */
function openNamed(): void {
  const operation = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(operation instanceof HTMLDetailsElement)) return;
  operation.open = true;
  operation.querySelector('summary')?.focus({ preventScroll: true });
  operation.scrollIntoView();
}

/** Focuses the search field when the key `/` is pressed. */
function listen(event: KeyboardEvent): void {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  document.getElementById('find')?.focus();
}

render(<DocsPage />, document.getElementById('page') as HTMLElement);

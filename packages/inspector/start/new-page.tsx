import { call } from '../base/call.ts';
import { useTitle } from '../base/memo.tsx';
import { Loaded } from '../base/refusal.tsx';
import type { Conversation, Turn } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { type Route, turnHref } from '../route.ts';
import { type Offer, RequestForm } from './request-form.tsx';
import { nameOf, requestOf, type Tool, type TurnRequest } from './turn-request.ts';

/** A form that starts a turn. The parameter `from` names a turn to start again. */
export function NewPage({ query }: Route) {
  const from = query.get('from');
  const offer = useFresh((signal) => readOffer(from, signal), ONCE);
  useTitle('New turn');
  return (
    <>
      <header>
        <h1>New turn</h1>
        {from && (
          <p class="meta">
            The form has the request of <a href={turnHref(from)}>an earlier turn</a>, which does not change. The new
            turn has a conversation of its own.
          </p>
        )}
      </header>
      <Loaded from={offer}>{(read) => <RequestForm offer={read} />}</Loaded>
    </>
  );
}

const NO_DRAFT: TurnRequest = { model: '', input: [] };

const ONCE = { everyMs: 60_000, mayRead: () => false };

async function readOffer(from: string | null, signal: AbortSignal): Promise<Offer> {
  type Tools = Pick<Offer, 'unavailable'> & { data: Tool[] };
  const [{ data: providers }, { data: known, unavailable }, draft] = await Promise.all([
    call<{ data: Offer['providers'] }>('GET', '/v1/models', { signal }),
    call<Tools>('GET', '/v1/tools', { signal }),
    from === null ? NO_DRAFT : readDraft(from, signal),
  ]);
  const names = known.map(({ name }) => name);
  const own = (draft.tools ?? []).filter((tool) => !names.includes(nameOf(tool)));
  return { draft, tools: [...names, ...own], unavailable, providers };
}

async function readDraft(from: string, signal: AbortSignal): Promise<TurnRequest> {
  const turn = await call<Turn>('GET', `/v1/turns/${encodeURIComponent(from)}`, { signal });
  return requestOf(turn, await call<Conversation>('GET', `/v1/conversations/${turn.conversation_id}`, { signal }));
}

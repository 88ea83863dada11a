/**
 * @import { TurnResource } from '#core/turn/present-turn.ts'
 * @import { Offer } from './new-form.js'
 * @import { Conversation, Tool, TurnRequest } from './request-of.js'
 * @import { Route } from './route.js'
 */
import { call, Refused } from './api.js';
import { keepParts } from './keep-parts.js';
import { newForm } from './new-form.js';
import { refusedPart } from './refused-part.js';
import { nameOf, requestOf } from './request-of.js';

/**
 * Shows a form that starts a turn; `from` names one to start again.
 * @param {HTMLElement} page
 * @param {Route} route
 * @returns {() => void} leaves the page
 */
export function showNew(page, { query }) {
  const leaving = new AbortController();
  const { signal } = leaving;
  document.title = 'New turn · Pawl';

  async function read() {
    try {
      const offer = await readOffer(query.get('from'), signal);
      keepParts(page, [{ key: 'new', state: null, make: () => newForm(offer) }]);
      page.querySelector('textarea')?.focus();
    } catch (error) {
      if (!signal.aborted)
        keepParts(page, refusedPart(error instanceof Refused ? error : new Refused(0, String(error)), read));
    }
  }
  keepParts(page, []);
  read();
  return () => leaving.abort();
}

/**
 * What there is to choose from, and what is chosen already.
 * @param {string | null} from
 * @param {AbortSignal} signal
 * @returns {Promise<Offer>}
 */
async function readOffer(from, signal) {
  const [{ data: providers }, { data: known }, draft] = await Promise.all([
    /** @type {Promise<{ data: { name: string }[] }>} */ (call('GET', '/v1/models', { signal })),
    /** @type {Promise<{ data: Tool[] }>} */ (call('GET', '/v1/tools', { signal })),
    from === null ? { model: '', input: [], tools: [] } : readDraft(from, signal),
  ]);
  const given = draft.tools ?? [];
  const names = known.map(({ name }) => name);
  const own = given.filter((tool) => !names.includes(nameOf(tool)));
  return { draft, tools: [...names, ...own], providers: providers.map(({ name }) => name) };
}

/**
 * @param {string} from
 * @param {AbortSignal} signal
 * @returns {Promise<TurnRequest>}
 */
async function readDraft(from, signal) {
  /** @type {TurnResource} */
  const turn = await call('GET', `/v1/turns/${encodeURIComponent(from)}`, { signal });
  /** @type {Conversation} */
  const conversation = await call('GET', `/v1/conversations/${turn.conversation_id}`, { signal });
  return requestOf(turn, conversation);
}

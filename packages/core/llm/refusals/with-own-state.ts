import { createHash } from 'node:crypto';
import { isRecord } from '../../json.ts';
import { withHostedNotes } from '../../turn/hosted/hosted-notes.ts';
import type { Message } from '../../turn/message.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Capabilities, Provider } from '../provider.ts';
import { hasKeptState } from './without-state.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;

/** Stored state: of one wire at one base URL (`origin`). `followsRefusal`: all earlier state was refused. */
type OwnedState = { origin: string; state: unknown; followsRefusal?: true };

const WARNING = 'provider state was refused and left out';

/**
 * Returns the provider, which gets only state of the same wire and base URL back. State from before a refusal is
 * omitted in all later requests.
 */
export function withOwnState(provider: Provider, baseUrl: string): Provider {
  const origin = originOf(provider.capabilities.wire, baseUrl);
  return {
    ...provider,
    async ask(request, signal, onDelta) {
      const owner = { provider: provider.name, origin };
      const messages = withHostedNotes(ownMessages(request.messages, owner), provider.name);
      const { leftStateOut = false, ...reply } = await provider.ask({ ...request, messages }, signal, onDelta);
      const isRefused = leftStateOut && hasKeptState(messages, provider.name);
      return isRefused ? markRefusal(reply, origin) : keepOrigin(reply, origin);
    },
  };
}

/** Returns a hash of the wire and base URL without its query. Keys in a base URL may change, and must not be stored. */
function originOf(wire: Capabilities['wire'], baseUrl: string): string {
  const url = URL.parse(baseUrl);
  const place = url ? url.origin + url.pathname.replace(/\/+$/, '') : baseUrl;
  return createHash('sha256').update(`${wire}\n${place}`).digest('hex').slice(0, 16);
}

function markRefusal(reply: Reply, origin: string): Reply {
  const opaque: OwnedState = { origin, state: reply.opaque, followsRefusal: true };
  return { ...reply, opaque, warnings: [...(reply.warnings ?? []), WARNING] };
}

/**
 * Joins several requests to one reply. If the provider refused state in one request, that applies to the whole reply.
 */
export function joinRefusals(reply: Reply, asked: readonly (Reply | null)[]): Reply {
  const marked = asked.find((each) => isMarked(each?.opaque))?.opaque;
  if (!isMarked(marked) || isMarked(reply.opaque)) return reply;
  const own = isRecord(reply.opaque) ? reply.opaque : { origin: marked.origin, state: null };
  return { ...reply, opaque: { ...own, followsRefusal: true } };
}

/** Returns whether a reply followed a refusal of state. */
export function followsRefusal(reply: Reply | null): boolean {
  return isMarked(reply?.opaque);
}

function isMarked(opaque: unknown): opaque is OwnedState {
  return isRecord(opaque) && opaque.followsRefusal === true;
}

function keepOrigin(reply: Reply, origin: string): Reply {
  const { opaque: state } = reply;
  return state === null || state === undefined ? reply : { ...reply, opaque: { origin, state } satisfies OwnedState };
}

type Owner = { provider: string; origin: string };

function ownMessages(messages: Message[], owner: Owner): Message[] {
  if (!messages.some((message) => hasState(message, owner))) return messages;
  let isRefused = false;
  return messages
    .toReversed()
    .map((message): Message => {
      if (!hasState(message, owner)) return message;
      const { opaque, ...bare } = message;
      const owned = readState(opaque?.state, owner);
      const refused = isRefused || opaque?.isRefused ? { isRefused: true } : {};
      isRefused ||= owned?.followsRefusal === true;
      if (owned === null || owned.state === null) return bare;
      return { ...bare, opaque: { provider: owner.provider, state: owned.state, ...refused } };
    })
    .toReversed();
}

function hasState(message: Message, { provider }: Owner): message is Assistant {
  return message.role === 'assistant' && message.opaque?.provider === provider;
}

/** Reads stored state, or returns null for another wire or base URL. Rounds of earlier versions have neither. */
function readState(stored: unknown, { origin }: Owner): OwnedState | null {
  if (!isRecord(stored) || typeof stored.origin !== 'string') return { origin, state: stored };
  if (stored.origin !== origin) return null;
  return { origin, state: stored.state, ...(stored.followsRefusal === true ? { followsRefusal: true } : {}) };
}

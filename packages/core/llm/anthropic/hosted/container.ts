import { isRecord } from '../../../json.ts';
import type { Message } from '../../../turn/message.ts';
import { mayTeach, type Refused } from '../../refusals/ask-again.ts';
import { fieldsIn, textIn } from '../../reply/fields.ts';
import { containerIn } from '../opaque.ts';

/** The container in which the provider ran code. `expires_at` is the time until which it is certainly there. */
export type Container = { id: string; expires_at?: string };

export function readContainer(value: unknown): Container | null {
  const fields = fieldsIn(value);
  const id = textIn(fields?.id);
  const expiry = textIn(fields?.expires_at);
  return id ? { id, ...(expiry ? { expires_at: expiry } : {}) } : null;
}

/** Returns the container of the last reply of this provider that names a container, or null if there is none. */
export function lastContainer(messages: readonly Message[], provider: string): Container | null {
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant' || message.opaque?.provider !== provider) continue;
    if (message.opaque.isRefused) return null;
    const container = containerIn(message.opaque.state);
    if (container !== undefined) return readContainer(container);
  }
  return null;
}

/** Returns the field of a container. The caller may give a container, or the skills for it. */
export function containerField(container: Container | null, given: unknown): { container?: unknown } {
  if (!container) return {};
  if (given === undefined) return { container: container.id };
  return isRecord(given) && !given.id ? { container: { ...given, id: container.id } } : {};
}

const CONTAINER = /\bcontainer/i;
const EXPIRED = /expired|not found|no longer|not (a )?valid|invalid|(does|did)(n't| not) exist|unknown|unavailable/i;

/**
 * Returns whether a refusal says that the container of earlier replies has expired. Anthropic also answers 500 for old
 * containers. A container that has not expired is kept then.
 */
export function losesContainer(refused: Refused, container: Container | null): boolean {
  if (!container) return false;
  if (refused.status === 500 && isPast(container.expires_at)) return true;
  return mayTeach(refused) && CONTAINER.test(refused.text) && EXPIRED.test(refused.text);
}

function isPast(moment: string | undefined): boolean {
  return moment !== undefined && Date.parse(moment) < Date.now();
}

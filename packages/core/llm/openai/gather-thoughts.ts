import { REPLY_BOUNDS } from '../../bounds/reply-bounds.ts';
import { boundReply } from '../unusable-reply.ts';
import type { ChunkDelta } from './chunk.ts';

type Detail = Record<string, unknown>;

/** The reasoning a server wants back with its message, in the fields it came in. */
export type Thoughts = {
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: Detail[];
  extra_content?: unknown;
};

/** Adds a delta's reasoning and answers its text; where a server sends it in two fields, one counts. */
export function gatherThoughts(thoughts: Thoughts, delta: ChunkDelta): string {
  const details = delta.reasoning_details ?? [];
  if (delta.reasoning_content) {
    thoughts.reasoning_content = (thoughts.reasoning_content ?? '') + delta.reasoning_content;
  }
  if (delta.reasoning) thoughts.reasoning = (thoughts.reasoning ?? '') + delta.reasoning;
  for (const detail of details) {
    thoughts.reasoning_details ??= [];
    joinDetail(thoughts.reasoning_details, detail);
  }
  if (delta.extra_content) thoughts.extra_content = delta.extra_content;
  return delta.reasoning_content || delta.reasoning || details.map(readable).join('') || thinkingOf(delta);
}

/** Streamed deltas of one block become that block again: texts grow, of any other field the last value counts. */
function joinDetail(details: Detail[], delta: Detail): void {
  const last = details.at(-1);
  if (!last || last.type !== delta.type || last.index !== delta.index) {
    boundReply(details.push({ ...delta }), REPLY_BOUNDS.parts, 'details of reasoning');
    return;
  }
  const grown = GROWING.filter((field) => typeof last[field] === 'string' && typeof delta[field] === 'string');
  const texts = grown.map((field) => [field, `${last[field]}${delta[field]}`]);
  Object.assign(last, givenFields(delta), Object.fromEntries(texts));
}

const GROWING = ['text', 'summary', 'data', 'signature'];

function givenFields(delta: Detail): Detail {
  return Object.fromEntries(Object.entries(delta).filter(([, value]) => value !== null && value !== ''));
}

function readable(detail: Detail): string {
  if (typeof detail.text === 'string') return detail.text;
  return typeof detail.summary === 'string' ? detail.summary : '';
}

function thinkingOf({ content }: ChunkDelta): string {
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => part.thinking ?? []).reduce((text, part) => text + (part.text ?? ''), '');
}

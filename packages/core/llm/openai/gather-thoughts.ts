import { boundReply, REPLY_LIMITS } from '../reply-limits.ts';
import type { Piece } from './chunk.ts';

type Detail = Record<string, unknown>;

/** The reasoning a server wants back with its message, in the fields it came in. */
export type Thoughts = {
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: Detail[];
  extra_content?: unknown;
};

/** Adds a piece's reasoning and answers its text; a server that tells it in two fields is heard once. */
export function gatherThoughts(thoughts: Thoughts, piece: Piece): string {
  const details = piece.reasoning_details ?? [];
  if (piece.reasoning_content) {
    thoughts.reasoning_content = (thoughts.reasoning_content ?? '') + piece.reasoning_content;
  }
  if (piece.reasoning) thoughts.reasoning = (thoughts.reasoning ?? '') + piece.reasoning;
  for (const detail of details) {
    thoughts.reasoning_details ??= [];
    joinDetail(thoughts.reasoning_details, detail);
  }
  if (piece.extra_content) thoughts.extra_content = piece.extra_content;
  return piece.reasoning_content || piece.reasoning || details.map(readable).join('') || thinkingOf(piece);
}

/** Streamed pieces of one block become that block again: texts grow, whatever else is told last holds. */
function joinDetail(details: Detail[], piece: Detail): void {
  const last = details.at(-1);
  if (!last || last.type !== piece.type || last.index !== piece.index) {
    boundReply(details.push({ ...piece }), REPLY_LIMITS.parts, 'details of reasoning');
    return;
  }
  const grown = GROWING.filter((field) => typeof last[field] === 'string' && typeof piece[field] === 'string');
  const texts = grown.map((field) => [field, `${last[field]}${piece[field]}`]);
  Object.assign(last, told(piece), Object.fromEntries(texts));
}

const GROWING = ['text', 'summary', 'data', 'signature'];

function told(piece: Detail): Detail {
  return Object.fromEntries(Object.entries(piece).filter(([, value]) => value !== null && value !== ''));
}

function readable(detail: Detail): string {
  if (typeof detail.text === 'string') return detail.text;
  return typeof detail.summary === 'string' ? detail.summary : '';
}

function thinkingOf({ content }: Piece): string {
  if (!Array.isArray(content)) return '';
  return content.flatMap((part) => part.thinking ?? []).reduce((text, part) => text + (part.text ?? ''), '');
}

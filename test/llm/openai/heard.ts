import type { Exchange } from '#test/llm/recordings.ts';

type CallPiece = { index?: number; id?: string; function?: { name?: string; arguments?: unknown } };
type Piece = {
  content?: unknown;
  refusal?: string;
  tool_calls?: CallPiece[] | null;
  function_call?: CallPiece['function'];
};
type Choice = { index?: number; delta?: Piece; message?: Piece; finish_reason?: string };
type Count = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  completion_tokens_details?: { reasoning_tokens?: number | null } | null;
};
type Event = { error?: unknown; choices?: Choice[]; usage?: Count; x_groq?: { usage?: Count } };
type Call = { id: string; name: string; args: string };

/** Returns a recorded Chat Completions reply. This second reader is independent of the adapter, and simple. */
export function heardIn(exchange: Exchange<unknown>) {
  const all = eventsOf(exchange);
  const choices = all.flatMap((event) => (event.choices ?? []).filter(({ index }) => !index));
  const pieces = choices.map((choice) => choice.delta ?? choice.message ?? {});
  const isJson = (content: unknown) => typeof content === 'object' && content !== null && !Array.isArray(content);
  const plain = (content: unknown) =>
    typeof content === 'string' ? content : isJson(content) ? JSON.stringify(content) : '';
  return {
    text: pieces.map((piece) => plain(piece.content) + plain(piece.refusal)).join(''),
    refusal: pieces.map((piece) => plain(piece.refusal)).join(''),
    calls: callsIn(pieces),
    finish: choices.map((choice) => choice.finish_reason ?? '').findLast(Boolean) ?? null,
    usage: all.map(({ usage, x_groq }) => usage ?? x_groq?.usage).findLast((usage) => usage?.completion_tokens),
  };
}

export function isErrorStream(exchange: Exchange<unknown>): boolean {
  return eventsOf(exchange).some((event) => event.error);
}

function eventsOf({ response: { body } }: Exchange<unknown>): Event[] {
  if (typeof body !== 'string') return [body as Event];
  const lines = body.split(/\r?\n/).filter((line) => line.startsWith('data:') && !line.includes('[DONE]'));
  return lines.map((line) => JSON.parse(line.slice(5)));
}

/** Returns the calls of these pieces. A name starts a call, unless it only repeats the name of the current call. */
function callsIn(pieces: Piece[]): Call[] {
  const calls: (Call & { index: number | undefined })[] = [];
  const all = pieces.flatMap(
    ({ tool_calls: asked, function_call: named }) => asked ?? (named ? [{ function: named }] : []),
  );
  for (const { index, id, function: named } of all as CallPiece[]) {
    const args =
      typeof named?.arguments === 'object' ? JSON.stringify(named.arguments) : String(named?.arguments ?? '');
    const open = calls.findLast((call) => call.index === index);
    const isAgain = open && open.name === named?.name && (!id || open.id === id) && args !== '' && !isWhole(open.args);
    if (named?.name && !isAgain) calls.push({ index, id: id ?? '', name: named.name, args });
    else if (open) open.args += args;
  }
  return calls.map(({ id, name, args }) => ({ id, name, args }));
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

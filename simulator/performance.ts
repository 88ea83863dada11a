/** How an answer stops: complete, cut off, in silence on an open connection, or never, its last piece repeated. */
export type Ending = 'end' | 'cut' | 'silence' | 'repeat';

/** The bytes of an answer and their times; `head` null sends nothing at all. */
export type Performance = {
  thinkMs: number;
  head: { status: number; headers: Record<string, string> } | null;
  pieces: string[];
  paceMs: number;
  ending: Ending;
};

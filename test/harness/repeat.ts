/** Repeats an act until the returned function is called: for a server that drips, or a caller that keeps calling. */
export function repeat(act: () => void, everyMs: number): () => void {
  const timer = setInterval(act, everyMs);
  return () => clearInterval(timer);
}

/** The bytes of all responses that the connections of one project keep. */
export type KeptBytes = {
  /** Counts a response until the returned function is called. `drop` is called if others need its room. */
  hold(bytes: number, drop: () => void): () => void;
};

type Held = { project: string; bytes: number; drop(): void };

/**
 * Shares `allBytes` among the projects of a process. Above it, the project with the most bytes loses its oldest
 * response. The returned function makes the count of a project.
 */
export function makeKeptBytes(allBytes: number): (project: string) => KeptBytes {
  const held = new Set<Held>();
  let total = 0;

  function release(response: Held): void {
    if (held.delete(response)) total -= response.bytes;
  }
  function largestProject(): string | undefined {
    const sums = new Map<string, number>();
    for (const { project, bytes } of held) sums.set(project, (sums.get(project) ?? 0) + bytes);
    const [largest] = [...sums].sort(([, one], [, other]) => other - one);
    return largest?.[0];
  }
  function makeRoom(): void {
    while (total > allBytes) {
      const project = largestProject();
      const oldest = [...held].find((each) => each.project === project);
      if (!oldest) return;
      release(oldest);
      oldest.drop();
    }
  }
  return (project) => ({
    hold: (bytes, drop) => {
      const response = { project, bytes, drop };
      held.add(response);
      total += bytes;
      makeRoom();
      return () => release(response);
    },
  });
}

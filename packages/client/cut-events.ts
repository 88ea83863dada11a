/**
 * Cuts server-sent events out of a stream: given its text piece by piece, however it was cut, answers the data of each
 * event that is complete. Comments are left out, and so are `event` and `id`, which our data repeats.
 */
export function cutEvents(): (piece: string) => string[] {
  let rest = '';
  let endedInReturn = false;
  const data: string[] = [];

  function take(line: string): string[] {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    if (line !== '' || data.length === 0) return [];
    return [data.splice(0).join('\n')];
  }

  return (piece) => {
    if (piece === '') return [];
    // The line feed of a CR LF that was cut in two ends no second line.
    const fresh = endedInReturn && piece.startsWith('\n') ? piece.slice(1) : piece;
    endedInReturn = piece.endsWith('\r');
    const lines = (rest + fresh).split(/\r\n|\r|\n/);
    rest = lines.pop() ?? '';
    return lines.flatMap(take);
  };
}

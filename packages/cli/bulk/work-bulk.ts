import type { BulkRequest, CallOptions, Pawl } from '../../client/connect-pawl.ts';
import type { Cli } from '../cli.ts';

/** Creates a bulk and waits for its end, or counts its turns; returns the exit code. */
export async function workBulk(
  pawl: Pawl,
  {
    request,
    isDryRun,
    isJson,
    signal,
    patienceMs,
  }: { request: BulkRequest; isDryRun: boolean; isJson: boolean } & CallOptions,
  { stdout }: Cli,
): Promise<number> {
  const options = { signal, patienceMs };
  if (isDryRun) {
    const matched = await pawl.bulk.count(request, options);
    stdout.write(isJson ? `${JSON.stringify({ matched })}\n` : `${turns(matched)} would be meant.\n`);
    return 0;
  }
  const { id, matched } = await pawl.bulk.create(request, options);
  if (!isJson) stdout.write(`${id}: ${turns(matched)}\n`);
  const bulk = await pawl.bulk.wait(id, options);
  if (isJson) stdout.write(`${JSON.stringify(bulk)}\n`);
  else {
    for (const { turn_id, code } of bulk.errors) stdout.write(`${turn_id}  ${code}\n`);
    stdout.write(`${bulk.done} done, ${bulk.failed} failed.\n`);
  }
  return bulk.failed === 0 ? 0 : 1;
}

function turns(count: number): string {
  return count === 1 ? '1 turn' : `${count} turns`;
}

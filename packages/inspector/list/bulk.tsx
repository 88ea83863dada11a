import type { Bulk, BulkRequest } from '#client/connect-pawl.ts';
import { pawl } from '../base/call.ts';
import { askFirst, type Show } from '../base/dialog.tsx';
import { formatCount } from '../base/words.ts';
import { turnHref } from '../route.ts';

const WORDS = {
  cancel: { verb: 'Cancel', done: 'cancelled', about: 'Pawl keeps the finished steps of these turns.' },
  retry: { verb: 'Retry', done: 'retried', about: 'Each turn continues from its last checkpoint.' },
  delete: { verb: 'Delete', done: 'deleted', about: 'Pawl erases the content of these turns permanently.' },
};

const AGAIN_MS = 700;

/** Counts the turns of a request, asks, acts on them and shows the progress. `noun` names them: `failed turns`. */
export async function askBulk(request: BulkRequest, noun: string): Promise<void> {
  const matched = await pawl.bulk.count(request);
  if (matched === 0) throw new Error(`No such turns are left to ${request.action}.`);
  const { verb, about } = WORDS[request.action];
  const action = `${verb} ${formatCount(matched)}`;
  const title = `${action} ${matched === 1 ? noun.replace(/s$/, '') : noun}?`;
  const isDanger = request.action !== 'retry';
  await askFirst({ title, body: <p>{about}</p>, action, isDanger, work: (show) => runBulk(request, show) });
}

async function runBulk(request: BulkRequest, show: Show): Promise<void> {
  let bulk = await pawl.bulk.create(request);
  for (;;) {
    const title = `${formatCount(bulk.done)} of ${formatCount(bulk.matched)} ${WORDS[bulk.action].done}`;
    show(title, <Progress bulk={bulk} title={title} />);
    if (bulk.status === 'completed' || !document.querySelector('dialog[open]')) return;
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    bulk = await pawl.bulk.retrieve(bulk.id);
  }
}

function Progress({ bulk: { status, matched, done, failed, errors }, title }: { bulk: Bulk; title: string }) {
  return (
    <>
      <progress max={matched} value={done + failed} aria-label={title} />
      {status !== 'completed' && <p class="hint">The work continues if you close this dialog.</p>}
      {failed > 0 && <p>{`Refused: ${formatCount(failed)}`}</p>}
      <ul class="meta">
        {errors.map(({ turn_id: id, code }) => (
          <li key={id}>
            <a href={turnHref(id)}>{id}</a> <code>{code}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

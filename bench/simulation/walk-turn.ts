import type { Activity, Clock } from './clock.ts';
import type { Deployment } from './deployment.ts';
import type { Installation, Member } from './installation.ts';

/**
 * One turn as it walks through Pawl (docs/architecture.md): each wait is a piece of work of a program, or a way to a store. The
 * API that takes it is `api`.
 */
export function* walkTurn(clock: Clock, deployment: Deployment, at: Installation, api: Member): Activity {
  yield at.driver.run();
  yield api.thread.run();
  yield api.commit;
  yield api.thread.run();
  yield api.job;
  yield api.thread.run();
  clock.start(pollOnce(at, api));

  yield* work(clock, deployment, at);

  yield api.job;
  yield api.thread.run();
  yield api.read;
  yield api.thread.run();
  yield at.driver.run();
}

/** The long poll that its caller begins, beside the work. */
function* pollOnce({ driver }: Installation, api: Member): Activity {
  yield driver.run();
  yield api.thread.run();
  yield api.read;
  yield api.thread.run();
}

/** Its jobs: the next one comes with the acknowledgement of the one before. */
function* work(clock: Clock, { rounds, thinkMs }: Deployment, at: Installation): Activity {
  for (let job = 0; job < 2 * rounds - 1; job += 1) {
    const place = at.places.ask();
    yield place.wait;
    const worker = at.workers[place.worker] as Member;
    if (job === 0) yield* begin(worker);
    const isRound = job % 2 === 0;
    if (isRound) yield* askModel(clock, worker, { thinkMs, at });
    yield worker.thread.run();
    yield worker.commit;
    yield worker.thread.run();
    yield worker.job;
    at.places.give(place.worker);
  }
}

/** The first job wakes a worker, is fetched and begins the turn. */
function* begin(worker: Member): Activity {
  yield worker.job;
  yield worker.job;
  yield worker.thread.run();
  yield worker.commit;
}

function* askModel(clock: Clock, worker: Member, { thinkMs, at }: { thinkMs: number; at: Installation }): Activity {
  yield worker.thread.run();
  yield at.model.run();
  yield clock.sleep(thinkMs);
}

import { openNaive } from './open-naive.ts';
import { openModel, workStep } from './work-step.ts';

/** The worker of the naive loop, as a separate process. */
const { DATABASE_URL = '', REDIS_URL, MODEL_URL = '' } = process.env;
const naive = openNaive(DATABASE_URL, REDIS_URL);
const context = { ...naive, askModel: openModel(MODEL_URL) };
const worker = naive.makeWorker(({ data }) => workStep(data, context));
await worker.waitUntilReady();
console.log('the naive loop is ready');

process.once('SIGTERM', async () => {
  await worker.close();
  await naive.close();
  process.exit(0);
});

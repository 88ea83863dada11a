import { buildPages } from '#inspector/build.ts';
import { writeClientTypes } from './client-types.ts';

await writeClientTypes();
if (!(await buildPages())) {
  console.error('The pages need the packages of development. Run `npm ci`, then `npm run build`.');
  process.exitCode = 1;
}

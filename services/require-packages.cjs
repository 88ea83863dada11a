// Loaded before each part by npm's scripts (node -r). Reports missing packages in a sentence, on any Node.
'use strict';

try {
  require.resolve('zod');
} catch (_) {
  process.stderr.write('The packages that Pawl is made of are not installed. Run “npm ci” first.\n');
  process.exit(1);
}
require('../packages/require-node.cjs');

// Runs on any Node, before syntax that an old Node cannot read. Says in a sentence which Node is needed.
'use strict';

var NEEDED = 24;
var found = process.versions.node;

if (parseInt(found, 10) < NEEDED) {
  process.stderr.write(
    'Pawl needs Node ' +
      NEEDED +
      ' or newer, and this is Node ' +
      found +
      '. ' +
      'Run “npm ci” without --omit=optional, which installs the right version, or install Node: https://nodejs.org.\n',
  );
  process.exit(1);
}

// Runs on any Node, before the first line that an old one cannot read: says in a sentence which Node is needed.
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
      'Run “npm ci” without --omit=optional, which brings the right one along, or install it: https://nodejs.org.\n',
  );
  process.exit(1);
}

#!/usr/bin/env node
// The command as this repository has it: TypeScript, which takes a Node that reads it.
'use strict';

require('../require-node.cjs');
import('./main.ts');

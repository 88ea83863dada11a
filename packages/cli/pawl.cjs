#!/usr/bin/env node
// Runs the command of this repository. Its TypeScript requires Node 24 and the packages of `npm ci`.
'use strict';

require('../../services/require-packages.cjs');
import('./main.ts');

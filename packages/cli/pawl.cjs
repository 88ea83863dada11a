#!/usr/bin/env node
// The command of this repository: TypeScript, which requires Node 24 and the packages of npm ci.
'use strict';

require('../../services/require-packages.cjs');
import('./main.ts');

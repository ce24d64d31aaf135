// The thread of a worker in which workflows run: the SDK's own, bundled (scripts/build/program.mjs).
'use strict';
const { join } = require('node:path');
const { loadProgram } = require('./load-program.cjs');

loadProgram(join(__dirname, '..', 'dist', 'bundle', 'workflow-thread.cjs'));

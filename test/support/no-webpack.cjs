// Loaded before a program (`node --require`): it fails where the SDK's bundler, a tenth of a start, is loaded.
'use strict';
const Module = require('node:module');

const load = Module._load;
Module._load = function (request, ...rest) {
  if (request === 'webpack') throw new Error('The bundler is loaded although the workflows are bundled');
  return load.call(this, request, ...rest);
};

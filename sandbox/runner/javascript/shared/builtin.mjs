/**
 * Builtin modules in the form that `require` gives. Node makes the form of `import` by asking each module for all that it
 * exports, and some of that loads streams, sockets and more: longer than a room's program takes to start otherwise.
 */
export const builtin = process.getBuiltinModule;

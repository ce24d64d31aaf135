/** The reporter of a child that is one file: `node:test` imports reporters by their names, and the state is the child's. */
export default globalThis[Symbol.for('a7.reporter')];

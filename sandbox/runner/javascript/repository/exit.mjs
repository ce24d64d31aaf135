/** Loaded before a test file: a file that ends its own process, whatever the code, is no file whose tests passed. */
const end = process.exit.bind(process);
const EARLY = 97;

process.exit = (code) => {
  process.stderr.write('a7-rt: process.exit() was called while the tests ran\n');
  end(code === undefined || code === 0 || code === null ? EARLY : code);
};

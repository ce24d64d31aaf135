/**
 * Failed assertions of the suite that the code was handed (gate.md part 11). Code that catches one and goes on would have the
 * test pass without it: a test fails whose assertion does not come back, thrown out of the call or as a promise's rejection.
 */
const NAMES_MAX = 20;
const NAME_MAX = 100;

export class Kept {
  /** The contract itself speaks of assertions, and code may do with them what it says. */
  isOpen = false;
  /** Words that the test gave the code: `spyOn(thing, 'save')` may replace `save`. */
  named = new Set();
  #session;
  #errors = new Set();

  constructor(session) {
    this.#session = session;
  }

  /** True for an assertion that failed on the suite's side; the code is not told what it says. */
  isOurs(error) {
    if (this.isOpen || typeof error !== 'object' || error === null || error.code !== 'ERR_ASSERTION')
      return false;
    return this.#session.membrane.record(error)?.isOwn ?? true;
  }

  hand(error) {
    if (this.isOurs(error)) this.#errors.add(error);
  }

  back(error) {
    this.#errors.delete(error);
  }

  name(args) {
    for (const item of args)
      for (const word of Array.isArray(item) ? item.slice(0, NAMES_MAX) : [item])
        if (typeof word === 'string' && word.length <= NAME_MAX) this.named.add(word);
  }

  /** The first one that did not come back; forgets them all. */
  take() {
    const [found] = this.#errors;
    this.#errors.clear();
    this.named.clear();
    return found;
  }
}

/**
 * Which exports each test asks about, from plays of the suite with other values (decision 0019; suite_follow_judge.py is the same for
 * Python). A play is a list of what the tests did: {isWhole, events, excused, first, given, after}, or null where it cannot be told.
 */
const EVERY = '*';
const PLAYS_MAX = 6;
const PLAYS_MS = 15_000;

/** Names by test; null where it cannot be told. `play(focus)` resolves to what each test did with other values of those in focus. */
export async function askedBy(names, play) {
  const ends = performance.now() + PLAYS_MS;
  const plain = await play([]);
  const other = plain === null ? null : await play([EVERY]);
  if (other === null || plain.length !== other.length) return null;
  const told = plain.map((test, at) => toldOf(test, other[at]));
  const open = names.filter((name) => !told.some((test) => test.asks(name)));
  const later = told.flatMap((test) =>
    open.flatMap((name) => test.after(name).filter((each) => test.isOpen(each))),
  );
  const wanted = [...new Set([...open, ...later])].sort();
  const each = new Map();
  for (const name of wanted.slice(0, PLAYS_MAX)) {
    if (performance.now() > ends) break;
    const own = await play([name]);
    if (own === null || own.length !== plain.length) return null;
    each.set(name, new Set(told.flatMap((test, at) => (test.differs(own[at]) ? [at] : []))));
  }
  const left = new Set(wanted.filter((name) => !each.has(name)));
  const called = new Set(plain.flatMap((test) => Object.keys(test.first)));
  const isAsked = (name, test, at) => test.asks(name) || each.get(name)?.has(at) === true;
  const isShown = (name, test, at) =>
    test
      .after(name)
      .some(
        (next) => left.has(next) || test.asks(next, test.first(name)) || each.get(next)?.has(at) === true,
      );
  return told.map((test, at) =>
    names.filter(
      (name) => !called.has(name) || left.has(name) || isAsked(name, test, at) || isShown(name, test, at),
    ),
  );
}

/** One test, as it is and with other values of all exports. */
function toldOf(plain, other) {
  const isWhole = plain.isWhole && other.isWhole && plain.events.length === other.events.length;
  const pairs = plain.events.map((event, at) => [event, other.events[at] ?? event]);
  const direct = assertedOf(plain, other, pairs);
  const isCalled = (name) => Object.hasOwn(plain.first, name);
  const isSame = (name) => plain.given[name] === other.given[name];
  // What holds on stubs, too, holds whatever was done.
  const isForeignLater = (name) =>
    pairs
      .slice(plain.first[name])
      .some(
        ([one, two]) =>
          one.kind === 'assertion' &&
          !one.holds &&
          one.seen.length > 0 &&
          !one.isMade &&
          isEqual(one.seen, two.seen),
      );
  /** Whether it is clear, or cannot be told. `since` is the event from which on an assertion counts. */
  const asks = (name, since = 0) =>
    isCalled(name) &&
    (!isWhole ||
      (direct.get(name) ?? -1) >= since ||
      plain.excused.includes(name) ||
      (isSame(name) && plain.given[name] !== 'undefined') ||
      isForeignLater(name));
  return {
    asks,
    after: (name) => plain.after[name] ?? [],
    first: (name) => plain.first[name],
    isOpen: (name) => isCalled(name) && !asks(name) && !isSame(name),
    /** Whether something is another one, and not only in assertions that hold all the same. */
    differs: (own) =>
      !own.isWhole ||
      own.events.length !== plain.events.length ||
      plain.events.some((event, at) => {
        const now = own.events[at];
        return !(event.holds && now.holds) && (event.holds !== now.holds || !isEqual(event.seen, now.seen));
      }),
  };
}

/** Exports whose values are among what is asserted, and where: in assertions that do not hold of any value. */
function assertedOf(plain, other, pairs) {
  const texts = (name) => JSON.stringify([plain.given[name], other.given[name]]);
  const given = new Map();
  // Two of `true` cannot be told apart: for these the plays tell.
  for (const name of Object.keys(plain.given)) given.set(texts(name), given.has(texts(name)) ? null : name);
  const found = new Map();
  for (const [at, [one, two]] of pairs.entries()) {
    if (one.kind !== 'assertion' || (one.holds && two.holds)) continue;
    for (const [place, text] of one.seen.entries()) {
      const name = text === two.seen[place] ? null : given.get(JSON.stringify([text, two.seen[place]]));
      if (name) found.set(name, at);
    }
    for (const name of one.about) found.set(name, at);
  }
  return found;
}

function isEqual(one, two) {
  return one.length === two.length && one.every((text, at) => text === two[at]);
}

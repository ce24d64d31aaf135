/**
 * What each JavaScript stub begins with. In the variant `second` an object that a callable gives has other members than one that
 * the suite made: else a suite that compares the two member by member is green (decision 0016).
 */
export const PRELUDE = `const a7Marker = globalThis[Symbol.for('a7.reach')];
const a7Reach = a7Marker === undefined ? () => {} : a7Marker.reach;
const a7Loose = a7Marker?.loose === true;
const a7Silent = new Set(a7Marker?.silent ?? []);
const a7Raising = new Set(a7Marker?.raising ?? []);
const a7Through = a7Marker?.through === true;
class A7StubCalled extends Error {}
/** What is thrown need not be an error. */
function a7End(name) {
  if (a7Raising.has(name)) throw { a7Anything: name };
}
function a7Built(name) {
  a7Reach(name);
  if (a7Marker?.isClosed() === true) throw new A7StubCalled(name);
}
/** Whether there is a promise at all says nothing of a result: in a loose run there is none, but it can be awaited. */
function a7Promised(value) {
  const promise = Promise.resolve(value);
  if (!a7Loose) return promise;
  return {
    then: (...calls) => promise.then(...calls),
    catch: (...calls) => promise.catch(...calls),
    finally: (...calls) => promise.finally(...calls),
  };
}
function a7Instance(type, salt) {
  try {
    a7Marker?.made(type().name);
    const made = Object.assign(Object.create(type().prototype), { a7Wrong: salt });
    if (a7Second) a7Vary(made, type().prototype, salt);
    return made;
  } catch {
    return { a7Wrong: salt };
  }
}
function a7Other(value, salt) {
  if (typeof value === 'number') return value + salt + 1;
  if (typeof value === 'bigint') return value + BigInt(salt + 1);
  return typeof value === 'string' ? \`\${value}-\${salt}\` : value;
}
function a7Vary(made, from, salt) {
  if (from === null || from === Object.prototype) return;
  a7Vary(made, Object.getPrototypeOf(from), salt);
  for (const key of Reflect.ownKeys(from)) {
    const { get, value } = Object.getOwnPropertyDescriptor(from, key);
    const call = get ?? value;
    if (key === 'constructor' || typeof key === 'symbol' || typeof call !== 'function') continue;
    const given = function (...args) {
      return a7Other(call.apply(this, args), salt);
    };
    const found = get === undefined ? { value: given, writable: true } : { get: given, set() {} };
    Object.defineProperty(made, key, { configurable: true, ...found });
  }
}
function a7Enum(values) {
  for (const [name, value] of Object.entries(values)) if (typeof value === 'number') values[value] = name;
  return values;
}
function a7Given(args) {
  if (a7Through) a7Marker.given([...args]);
}
function a7CallBack(args) {
  a7Given(args);
  if (!a7Loose) return;
  for (const given of args) {
    if (typeof given !== 'function' || /^class\\b/.test(Function.prototype.toString.call(given))) continue;
    try {
      given('a7-wrong')?.catch?.(() => {});
    } catch (error) {
      if (error?.code === 'ERR_ASSERTION') throw error;
    }
  }
}
/** A test that is played through goes on where an object has what its declaration leaves out. */
const a7Open = new Proxy(Object.prototype, {
  get: (target, key) => {
    if (key in target || key === 'then' || (typeof key === 'symbol' && key !== Symbol.iterator)) return target[key];
    return key === Symbol.iterator ? function* () {} : () => undefined;
  },
});
const a7Ones = new Map();
function a7One(type, made) {
  if (!a7Ones.has(type)) a7Ones.set(type, made);
  return a7Ones.get(type);
}
async function* a7AsyncIterator(items) {
  yield* items;
}
`;

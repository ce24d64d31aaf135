/** What the suite's side takes of an object that the builder's side made: builtin objects are the suite's own in all that they do. */
import { CONTAINERS } from '../crossing/kinds.mjs';
import { CannotCross } from '../crossing/plain.mjs';

const { getOwnPropertyDescriptor, getPrototypeOf } = Object;

/** The prototype that an object gets: a builtin one keeps its own, unless the contract declares the class. */
export function admit(declared, kind, value, wanted) {
  if (wanted !== null && typeof wanted !== 'object' && typeof wanted !== 'function')
    throw new CannotCross('a prototype that is none');
  const own = getPrototypeOf(value);
  if (kind === 'e') return chain(wanted).includes(Error.prototype) ? wanted : own;
  if (kind === 'f') return typeof wanted === 'function' ? wanted : own;
  if (!CONTAINERS.has(kind) || wanted === own) return wanted;
  const isDeclared = chain(wanted).some((proto) => declared.has(proto));
  return isDeclared && chain(wanted).includes(own) ? wanted : own;
}

/** Refuses own properties of builtin objects that could stand before what the builtin itself does; marks getters of data. */
export function admitProps(membrane, declared, record, wanted, named) {
  const value = membrane.valueOf(record);
  if (record.isOwn) return keepMethods(membrane, value, wanted, named);
  const isPrototype = wanted.get('constructor')?.value?.prototype === value;
  for (const { get } of wanted.values()) {
    const getter = get === undefined ? undefined : membrane.record(get);
    if (getter === undefined) continue;
    getter.isAccessor = true;
    if (!isPrototype) getter.isGetter = true;
  }
  if (!CONTAINERS.has(record.kind)) return;
  const proto = getPrototypeOf(value);
  if (chain(proto).some((each) => declared.has(each))) return;
  for (const [key, found] of wanted)
    if (key in proto || found.get || found.set || typeof found.value === 'function')
      throw new CannotCross(`a builtin object with its own "${String(key).slice(0, 50)}"`);
}

/** Methods of the suite's objects say what a test wants to know: the code may replace those only that the suite has named. */
function keepMethods(membrane, value, wanted, named) {
  for (const [key, found] of wanted) {
    const given = found.get ?? found.value;
    if (typeof given !== 'function' || named.has(key) || membrane.record(given)?.isOwn) continue;
    const before = descriptorOf(value, key);
    const method = before?.get ?? before?.value;
    if (typeof method === 'function' && method !== given && membrane.record(method)?.isOwn !== false)
      throw new CannotCross(`a method "${String(key).slice(0, 50)}" in place of the suite's own`);
  }
}

function descriptorOf(value, key) {
  for (const each of [value, ...chain(getPrototypeOf(value))]) {
    const found = getOwnPropertyDescriptor(each, key);
    if (found !== undefined) return found;
  }
  return undefined;
}

const READING = new Set(['has', 'ownKeys', 'getOwnPropertyDescriptor', 'getPrototypeOf']);

/** Names a read of data, whose answer is kept; undefined for other looks at it; null for what may change it. */
export function readPlace(record, verb, name, self, args) {
  if (verb === 'call' && record.isGetter) return `${record.number}`;
  if (verb !== 'trap') return null;
  if (name === 'get' && typeof args[0] === 'string') return `${record.number} ${args[0]}`;
  return READING.has(name) || name === 'get' ? undefined : null;
}

function chain(proto) {
  const found = [];
  for (let each = proto; each !== null && found.length < 100; each = getPrototypeOf(each)) found.push(each);
  return found;
}

/** What stands for a function, an iterator or an object that only the other side has. `use(verb, name, self, args)` crosses. */
import { builtin } from '../../shared/builtin.mjs';

const { types } = builtin('node:util');

const { defineProperty, getPrototypeOf } = Object;
const ITERATOR = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()));
const ASYNC_ITERATOR = getPrototypeOf(getPrototypeOf(getPrototypeOf((async function* () {})())));

/** `base` is [name, length, form]. */
export function functionStub([name, length, form], use) {
  const stub = form === 'method' ? method(use) : form === 'class' ? classStub(String(name), use) : plain(use);
  defineProperty(stub, 'name', { value: String(name), configurable: true });
  defineProperty(stub, 'length', { value: Number(length), configurable: true });
  return stub;
}

function method(use) {
  return {
    stub(...args) {
      return use('call', '', receiver(this), args);
    },
  }.stub;
}

function plain(use) {
  return function stub(...args) {
    if (new.target !== undefined) return use('new', '', new.target === stub ? undefined : new.target, args);
    return use('call', '', receiver(this), args);
  };
}

function classStub(name, use) {
  return function stub(...args) {
    if (new.target === undefined)
      throw new TypeError(`Class constructor ${name} cannot be invoked without 'new'`);
    return use('new', '', new.target === stub ? undefined : new.target, args);
  };
}

function receiver(self) {
  return self === globalThis || types.isModuleNamespaceObject(self) ? undefined : self;
}

/** An iterator whose steps cross. */
export function iteratorStub(isAsync, use) {
  const stub = Object.create(isAsync ? ASYNC_ITERATOR : ITERATOR);
  for (const name of ['next', 'return', 'throw'])
    defineProperty(stub, name, {
      value: (...args) => use('iterate', name, undefined, args),
      configurable: true,
      writable: true,
    });
  defineProperty(stub, Symbol.toStringTag, {
    value: isAsync ? 'AsyncGenerator' : 'Generator',
    configurable: true,
  });
  return stub;
}

/** Every operation of which crosses; `shape` is object, array or function. */
export function proxyStub(shape, use) {
  const target = shape === 'function' ? function () {} : shape === 'array' ? [] : {};
  const trap =
    (name) =>
    (_target, ...args) =>
      use(
        'trap',
        name,
        undefined,
        args.slice(0, name === 'get' || name === 'set' ? args.length - 1 : undefined),
      );
  return new Proxy(target, {
    get: trap('get'),
    set: trap('set'),
    has: trap('has'),
    deleteProperty: trap('deleteProperty'),
    getPrototypeOf: trap('getPrototypeOf'),
    ownKeys: (_target) => [...new Set([...use('trap', 'ownKeys', undefined, []), ...fixedKeys(target)])],
    getOwnPropertyDescriptor: (_target, key) => {
      const found = use('trap', 'getOwnPropertyDescriptor', undefined, [key]);
      if (found === undefined) return undefined;
      return { ...found, configurable: !Object.hasOwn(target, key) };
    },
    defineProperty: (_target, key, found) =>
      use('trap', 'defineProperty', undefined, [key, { ...found, configurable: true }]),
    apply: (_target, self, args) => use('call', '', receiver(self), args),
    construct: (_target, args) => use('new', '', undefined, args),
  });
}

const fixedKeys = (target) =>
  Reflect.ownKeys(target).filter((key) => !Object.getOwnPropertyDescriptor(target, key).configurable);

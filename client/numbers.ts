/** Numbers on the command line. */
import { InvalidArgumentError } from 'commander';

/** @throws {InvalidArgumentError} for anything but a number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError(`must be a positive number: current value is "${text}"`);
  return value;
}

/** @throws {InvalidArgumentError} for anything but a whole number above 0. */
export function count(text: string): number {
  const value = positive(text);
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError(`must be a whole number: current value is "${text}"`);
  return value;
}

/** Minutes as a number, or `90s`, `30m`, `2h`. */
export function minutes(text: string): number {
  const [, amount = '', unit = 'm'] = /^(\d+(?:\.\d+)?)([smh])?$/.exec(text) ?? [];
  const value = Number(amount) * (unit === 's' ? 1 / 60 : unit === 'h' ? 60 : 1);
  if (amount === '' || !(value > 0)) throw new InvalidArgumentError('It must be minutes, or 90s, 30m, 2h.');
  return value;
}

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

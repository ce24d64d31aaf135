/**
 * Tells the watch beside the builder's process (watch.sh) which call is under way, in a file of one line: state, number,
 * limit in milliseconds, process. A thread that watched from inside would cost more than the whole process.
 */
import { builtin } from '../../shared/builtin.mjs';

const { writeSync } = builtin('node:fs');

const DIGITS = 9;
const NUMBER_AT = 2;
const LIMIT_AT = NUMBER_AT + DIGITS + 1;
const ZERO = 48;
const NINE = 57;
const IDLE = Buffer.from('0');
const padded = (value) => String(value).padStart(DIGITS, '0');

export class Beat {
  isOn = false;
  #fd;
  #line = Buffer.from(`0 ${padded(0)} ${padded(0)} ${process.pid}\n`);
  #limitMs = 0;

  constructor(fd) {
    this.#fd = fd;
    writeSync(fd, this.#line, 0, this.#line.length, 0);
    this.#line[0] = ZERO + 1;
  }

  /** A call begins; without a limit of its own it has the last one's. */
  begin(limitMs = this.#limitMs) {
    if (limitMs !== this.#limitMs && Number.isSafeInteger(limitMs) && limitMs > 0) {
      this.#limitMs = limitMs;
      this.#line.write(padded(Math.min(limitMs, 10 ** DIGITS - 1)), LIMIT_AT, 'latin1');
    }
    this.isOn = true;
    let at = LIMIT_AT - 2;
    for (; this.#line[at] === NINE && at > NUMBER_AT; at -= 1) this.#line[at] = ZERO;
    this.#line[at] += this.#line[at] === NINE ? -9 : 1;
    writeSync(this.#fd, this.#line, 0, this.#line.length, 0);
  }

  end() {
    if (!this.isOn) return;
    this.isOn = false;
    writeSync(this.#fd, IDLE, 0, 1, 0);
  }
}

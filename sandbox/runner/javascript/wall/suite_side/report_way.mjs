/** Where reporter.mjs finds the reporter of this program. */
import report from '../../suite/reporter.mjs';

Object.defineProperty(globalThis, Symbol.for('a7.reporter'), { value: report });

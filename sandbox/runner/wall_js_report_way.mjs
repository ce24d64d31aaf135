/** Where wall_js_reporter.mjs finds the reporter of this program. */
import report from './a7_node_reporter.mjs';

Object.defineProperty(globalThis, Symbol.for('a7.reporter'), { value: report });

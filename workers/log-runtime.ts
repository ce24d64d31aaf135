/** What the SDK has to say: warnings and errors go to a log file of the home, one JSON object a line; the terminal belongs to people. */
import { join } from 'node:path';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { type Logger, pino } from 'pino';

let isLogging = false;

/** The first of a process decides. */
export function logRuntime(home: string): void {
  if (isLogging) return;
  isLogging = true;
  const log = openLog(join(home, 'worker.log'));
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (level === 'ERROR') log.error(meta ?? {}, message);
    else log.warn(meta ?? {}, message);
  });
  Runtime.install({
    logger,
    telemetryOptions: { logging: { forward: {}, filter: 'ERROR' } },
    shutdownSignals: [],
  });
}

/** Bytes of lines that wait for a disk that is full; later ones are lost. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** A log that loses lines rather than its process where they cannot be written: on a full disk an order waits, it does not die. */
export function openLog(path: string): Logger {
  const file = pino.destination({ dest: path, mkdir: true, sync: true, maxLength: WAITING_BYTES_MAX });
  file.on('error', () => undefined);
  return pino({ level: 'warn' }, file);
}

/** What every command does with an answer: print it for people or programs, and turn it into an exit code. */
import type { ExitCode, Result } from '../../core/ports/services.ts';
import { asTyped } from '../render/as-typed.ts';
import { jsonText, plainOf } from '../render/plain.ts';
import { failureText } from '../render/text.ts';

/** Every command has it. */
export interface JsonOption {
  readonly json?: boolean;
}

/** Prints a result: JSON on request, else `render`; failures go to stderr. */
export function report<T>(
  result: Result<T>,
  options: { json?: boolean | undefined },
  render: (value: T) => string,
): ExitCode {
  if (options.json === true) {
    process.stdout.write(`${jsonText(result.ok ? result.value : result)}\n`);
    return result.ok ? 0 : result.exitCode;
  }
  if (!result.ok) {
    process.stderr.write(`${asTyped(failureText(plainOf(result)))}\n`);
    return result.exitCode;
  }
  const text = render(plainOf(result.value));
  if (text !== '') process.stdout.write(`${asTyped(text)}\n`);
  return 0;
}

/** Aborts at the first Ctrl-C, SIGTERM or SIGHUP; `second` is called at the next. */
export function stopSignal(second: () => void): {
  readonly signal: AbortSignal;
  readonly dispose: () => void;
} {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) second();
    else controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const name of signals) process.on(name, onSignal);
  return {
    signal: controller.signal,
    dispose: () => {
      for (const name of signals) process.off(name, onSignal);
    },
  };
}

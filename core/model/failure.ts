/**
 * What a failed request means: rest the stage, try again, or unknown (temporal.md 6.4).
 *
 * F1. Retried is only what cannot have been billed: never sent, or refused with a status before any output.
 * F2. Whatever broke after it may have reached the model, without a status, is unknown.
 */
import type { ModelTarget, RestCode } from '../ports/model.ts';
import { typed } from '../text/typed.ts';

/** A request without an answer, as the client saw it. */
export type CallFailure =
  /** No byte of the request reached the endpoint: refused, no such host, no route, no TLS. */
  | { readonly kind: 'unsent'; readonly message: string }
  /** The endpoint answered with a status other than 2xx and no output. */
  | {
      readonly kind: 'status';
      readonly status: number;
      /** `code` or `type` of the error body; empty when there is none. */
      readonly code: string;
      readonly message: string;
      /** From Retry-After; null when absent. */
      readonly retryAfterMs: number | null;
    }
  /** Answered by something that is no model endpoint, for example a web page. */
  | { readonly kind: 'foreign'; readonly message: string }
  /** Sent, and then broken, silent for too long, or abandoned. */
  | { readonly kind: 'broken'; readonly message: string };

export type FailureClass =
  | { readonly kind: 'rest'; readonly code: RestCode; readonly message: string; readonly nextStep: string }
  /** `afterMs`: what the endpoint asked for; null leaves the wait to whoever tries again. */
  | { readonly kind: 'retry'; readonly afterMs: number | null; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

/** Longest wait that an endpoint may ask for. */
export const RETRY_MAX_MS = 3_600_000;

export function classifyFailure(failure: CallFailure, model: ModelTarget): FailureClass {
  switch (failure.kind) {
    case 'unsent':
      return {
        kind: 'retry',
        afterMs: null,
        reason: `Model "${model.alias}" is not reached at "${model.baseUrl}": ${failure.message}`,
      };
    case 'foreign':
      return restFor('not_found', `Model "${model.alias}" has no endpoint there: ${failure.message}`, model);
    case 'broken':
      return { kind: 'unknown', reason: failure.message };
    case 'status':
      return classifyStatus(failure, model);
  }
}

/** Milliseconds of a Retry-After value: seconds or an HTTP date; null when it is neither. */
export function retryAfterMs(value: string | null, nowMs: number): number | null {
  if (value === null || value.trim() === '') return null;
  const seconds = Number(value);
  const waitMs = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - nowMs;
  return Number.isNaN(waitMs) ? null : Math.min(RETRY_MAX_MS, Math.max(0, Math.round(waitMs)));
}

/** The rest of a stage, with what a person can do about it. */
export function restFor(
  code: RestCode,
  message: string,
  model: ModelTarget,
): FailureClass & { readonly kind: 'rest' } {
  return { kind: 'rest', code, message, nextStep: nextStepFor(code, model) };
}

type StatusFailure = Extract<CallFailure, { kind: 'status' }>;

function classifyStatus(failure: StatusFailure, model: ModelTarget): FailureClass {
  const { status, message } = failure;
  const text = `Model "${model.alias}" answered ${String(status)}: ${message}`;
  const restCode = restCodeOf(failure);
  if (restCode !== null) return restFor(restCode, text, model);
  return { kind: 'retry', afterMs: failure.retryAfterMs, reason: text };
}

function restCodeOf(failure: StatusFailure): RestCode | null {
  const { status, code } = failure;
  if (status === 401) return 'auth';
  if (status === 402 || (status === 429 && code === 'insufficient_quota')) return 'payment_required';
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) return null;
  if (saysToolsUnsupported(failure.message)) return 'tools_unsupported';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  return code === 'context_length_exceeded' || status === 413 ? 'context_length' : 'bad_request';
}

function saysToolsUnsupported(message: string): boolean {
  return (
    /\b(tools?|tool_choice|function)\b.*\b(not|un)[ -]?support/i.test(message) ||
    /\b(not|no)\b.*\bsupport.*\b(tools?|functions?)\b/i.test(message)
  );
}

function nextStepFor(code: RestCode, model: ModelTarget): string {
  const keyPlaces = [model.apiKey.envName, model.apiKey.filePath]
    .filter((place) => place !== null)
    .join('" or "');
  switch (code) {
    case 'auth':
      return `Put a valid key into "${keyPlaces}" and run again`;
    case 'forbidden':
      return `Give the key in "${keyPlaces}" access to model "${model.modelId}", or choose another with --model, and run again`;
    case 'payment_required':
      return 'Add credit at the provider, or choose another model with --model, and run again';
    case 'not_found':
      return `Check --model (now "${model.modelId}") and --base-url (now "${model.baseUrl}") and run again`;
    case 'bad_request':
      return `Check the configuration of model "${model.alias}" against what the message says and run again`;
    case 'context_length':
      return 'Choose a model with a larger context with --model, or a smaller view, and run again';
    case 'tools_unsupported':
      return `${typed`a7-rt models --check ${model.alias}`} finds another way to call tools (now "${model.modelId}" by its endpoint's own); or choose another model with --model, and run again`;
  }
}

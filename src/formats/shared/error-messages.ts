import type { EventData } from '../../domain/events/event.js';
import { utcTime } from '../../lib/utc-time.js';

type FailureData = EventData['lifecycle.failed'];

/** States when to try again: after the pause that a provider asked for, if that is long. */
const tryAgain = (soon: string, { retry_at: at }: FailureData): string =>
  `Please try again ${at === undefined ? soon : `after ${utcTime(Date.parse(at))}`}.`;

/** Codes and messages of format `agent` for failures of a model provider. */
const PROVIDER: Record<
  string,
  { code: 'rate_limited' | 'overloaded' | 'ai_error'; messageOf: (failed: FailureData) => string }
> = {
  RATE_LIMITED: {
    code: 'rate_limited',
    messageOf: (failed) => `The AI service is temporarily busy. ${tryAgain('in a moment', failed)}`,
  },
  OVERLOADED: {
    code: 'overloaded',
    messageOf: (failed) => `The AI service is currently overloaded. ${tryAgain('shortly', failed)}`,
  },
  AI_ERROR: {
    code: 'ai_error',
    messageOf: () => 'An error occurred while generating the response.',
  },
};

/** Returns the error of format `agent` for a failed run. */
export function agentError(failed: FailureData): {
  message: string;
  code: string;
  retryable: boolean;
} {
  const { code, error, retryable } = failed;
  const known = PROVIDER[code];
  return {
    message: known?.messageOf(failed) ?? error,
    code: known?.code ?? 'internal_error',
    // In this format, an error of the model itself is never retryable.
    retryable: known?.code === 'ai_error' ? false : retryable,
  };
}

/** Error types and messages of format `chat`. */
const CHAT: Record<string, { type: string; messageOf: (failed: FailureData) => string }> = {
  RATE_LIMITED: { type: 'rate_limit', messageOf: busy },
  OVERLOADED: { type: 'rate_limit', messageOf: busy },
  AI_ERROR: { type: 'api_error', messageOf: () => 'AI service error. Please try again.' },
};

function busy(failed: FailureData): string {
  return `AI service is busy. ${tryAgain('in a few seconds', failed)}`;
}

export function chatError(failed: FailureData): {
  type: string;
  message: string;
  retryable: boolean;
} {
  const { code, error, retryable } = failed;
  const known = CHAT[code];
  return {
    type: known?.type ?? 'internal_error',
    message: known?.messageOf(failed) ?? error,
    retryable,
  };
}

/** The message for a cancelled turn. */
export const CANCELLED = 'Cancelled by user';
/** The result of a call that had none when its run ended. */
export const UNANSWERED = 'The run ended before there was a result.';

import type { EventData } from '../../domain/events/event.js';

type Failed = EventData['lifecycle.failed'];

/** Codes and messages of format `agent` for failures of a model provider. */
const PROVIDER: Record<
  string,
  { code: 'rate_limited' | 'overloaded' | 'ai_error'; message: string }
> = {
  RATE_LIMITED: {
    code: 'rate_limited',
    message: 'The AI service is temporarily busy. Please try again in a moment.',
  },
  OVERLOADED: {
    code: 'overloaded',
    message: 'The AI service is currently overloaded. Please try again shortly.',
  },
  AI_ERROR: { code: 'ai_error', message: 'An error occurred while generating the response.' },
};

/** Returns the error of format `agent` for a failed run. */
export function agentError({ code, error, retryable }: Failed): {
  message: string;
  code: string;
  retryable: boolean;
} {
  const known = PROVIDER[code];
  return {
    message: known?.message ?? error,
    code: known?.code ?? 'internal_error',
    // In this format, an error of the model itself is never retryable.
    retryable: known?.code === 'ai_error' ? false : retryable,
  };
}

/** Error types and messages of format `chat`. */
const CHAT: Record<string, { type: string; message: string }> = {
  RATE_LIMITED: {
    type: 'rate_limit',
    message: 'AI service is busy. Please try again in a few seconds.',
  },
  OVERLOADED: {
    type: 'rate_limit',
    message: 'AI service is busy. Please try again in a few seconds.',
  },
  AI_ERROR: { type: 'api_error', message: 'AI service error. Please try again.' },
};

export function chatError({ code, error, retryable }: Failed): {
  type: string;
  message: string;
  retryable: boolean;
} {
  return { ...(CHAT[code] ?? { type: 'internal_error', message: error }), retryable };
}

/** The message for a cancelled turn. */
export const CANCELLED = 'Cancelled by user';
/** The result of a call that had none when its run ended. */
export const UNANSWERED = 'The run ended before there was a result.';

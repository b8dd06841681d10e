import type { EventData } from '../../domain/events/event.js';

type Failed = EventData['lifecycle.failed'];

/** What a person reads when the trouble is the model's provider's. The words and codes are those of seed 001. */
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

/** How format `agent` says that a run has failed. */
export function agentError({ code, error, retryable }: Failed): {
  message: string;
  code: string;
  retryable: boolean;
} {
  const known = PROVIDER[code];
  return {
    message: known?.message ?? error,
    code: known?.code ?? 'internal_error',
    // Seed 001: an error of the model itself is not tried again.
    retryable: known?.code === 'ai_error' ? false : retryable,
  };
}

/** How format `chat` says it: the types of seed 004. */
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

/** How a turn that was cancelled is told to a person. */
export const CANCELLED = 'Cancelled by user';
/** The result of a call that the end of its run has left without one. */
export const UNANSWERED = 'The run ended before there was a result.';

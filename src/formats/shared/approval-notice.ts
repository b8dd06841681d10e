import type { EventData, NamedEvent } from '../../domain/events/event.js';
import type { JsonObject } from '../../lib/json.js';

/** The codes of approvals in formats that have only notices. */
const CODES = {
  'system.approval': 'APPROVAL_REQUESTED',
  'system.decision': 'APPROVAL_DECIDED',
} as const;

/**
 * An approval, or its end, as a notice: for formats that have no frame of their own for it.
 * Contract section 11.
 */
export function noticeOf(
  event: Extract<NamedEvent, { name: keyof typeof CODES }>,
): EventData['system.warning'] {
  const message =
    event.name === 'system.approval'
      ? `Approval needed: ${event.data.message} ${event.data.risk}`
      : event.data.message;
  return { ...(event.data as unknown as JsonObject), message, code: CODES[event.name] };
}

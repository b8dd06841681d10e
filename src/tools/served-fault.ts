import type { Issue } from '../domain/diagnosis/tool-result.js';
import { SourceError } from '../sources/http/source-error.js';
import { classify } from './net/network-error.js';

/**
 * The issue of an inspected server that does not answer, which is the finding itself.
 * @param expected names it: "the management API of a RabbitMQ"
 * @throws what says nothing about the server
 */
export function servedFault(
  error: unknown,
  { target, expected }: { target: string; expected: string },
): Issue {
  if (!(error instanceof SourceError) || error.failure !== 'unreachable') throw error;
  const isLate = error.message.includes('no answer within');
  const { kind, text } = classify(error.options.cause, 'connect');
  // Such as a certificate that is not trusted, or no place among the connections.
  if (kind === 'other' && !isLate) throw error;
  const title = isLate ? `${expected} does not answer in time` : text;
  return {
    ...{ severity: 'critical', symptom: isLate ? 'slow' : 'unreachable', title },
    detail: `Expected ${expected} at ${target}: ${title}.`,
  };
}

import type { Issue } from '../domain/diagnosis/tool-result.js';
import { SourceError } from '../sources/http/source-error.js';
import { classify, faultIssue } from './net/network-error.js';

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
  const { cause, waitedMs } = error.options;
  const where = `${expected} at ${target}`;
  if (waitedMs !== undefined)
    return faultIssue(
      { symptom: 'slow', text: `${expected} does not answer in time`, waitedMs },
      where,
    );
  const fault = classify(cause, 'connect');
  // Such as a certificate that is not trusted, or no place among the connections.
  if (fault.kind === 'other') throw error;
  return faultIssue({ ...fault, symptom: 'unreachable' }, where);
}

import type { Issue } from '../domain/diagnosis/tool-result.js';
import { errorOfSource, SourceError } from '../sources/http/source-error.js';
import {
  classify,
  codeOf,
  faultIssue,
  type NetworkFault,
  wrongAddress,
} from './net/network-error.js';

/** An error of a source names it; any other error as it is. */
export const ofSource = (id: string, error: unknown): unknown =>
  error instanceof SourceError ? errorOfSource(id, error) : error;

/** @param expected names it: "the management API of a RabbitMQ" */
export const servedFault = (
  error: unknown,
  { target, expected }: { target: string; expected: string },
): Issue => faultIssue(servedNetworkFault(error, expected), `${expected} at ${target}`);

/**
 * Why an inspected server does not answer, which is the finding itself.
 * @throws errors that show nothing about the server
 */
export function servedNetworkFault(error: unknown, expected: string): NetworkFault {
  if (!(error instanceof SourceError)) throw error;
  const { cause, waitedMs, otherProtocol } = error.options;
  if (otherProtocol !== undefined) return wrongAddress(otherProtocol);
  if (error.failure !== 'unreachable') throw error;
  if (waitedMs !== undefined)
    return {
      kind: 'timeout',
      symptom: 'slow',
      failureKind: 'timeout',
      text: `${expected} does not answer in time`,
      waitedMs,
    };
  // A connection that was never made is refused or timed out; one that is reset was made.
  const isCut = codeOf(cause) === 'ECONNRESET';
  const fault = classify(cause, isCut ? 'answer' : 'connect');
  // Such as a certificate that is not trusted, or no place among the connections.
  if (fault.kind === 'other') throw error;
  return isCut ? fault : { ...fault, symptom: 'unreachable' };
}

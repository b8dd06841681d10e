import type { Symptom } from '../../domain/diagnosis/finding.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { codeOf } from '../net/network-error.js';
import { TimeLimitError } from '../net/within.js';

/** No answer arrived: `getaddrinfo` has one code for silence and for a failing name server. */
export const SILENCE = new Set(['timeout', 'ECONNREFUSED', 'EAI_AGAIN', 'EAI_FAIL']);

/** For a name server, an answer and silence differ. */
export const ofNameServer = (code: string): Symptom =>
  code === 'timeout' || code === 'ECONNREFUSED' ? 'unreachable' : 'erroring';
/** For a service, a name that does not exist differs from one that cannot be resolved now. */
export const ofService = (code: string): Symptom =>
  code === 'ENOTFOUND' || code === 'ENODATA' ? 'nameless' : 'unreachable';

/** The name server fails, or is not reached: there is no answer about the name. */
export const isOfServer = (code: string, { kind }: TopologyNode): boolean =>
  code === 'timeout' ? kind === 'dns' : OF_SERVER.has(code);
const OF_SERVER = new Set([
  'ESERVFAIL',
  'EREFUSED',
  'EAI_AGAIN',
  'ECONNREFUSED',
  'EBADRESP',
  'EFORMERR',
]);

const FAULTS: Record<string, (name: string) => string> = {
  ENOTFOUND: (name) => `no such host name: ${name}`,
  ENODATA: (name) => `${name} has no records of this type`,
  ESERVFAIL: () => 'the name server failed (SERVFAIL)',
  EREFUSED: () => 'the name server refuses to answer (REFUSED)',
  EAI_AGAIN: () => 'the name server failed or did not answer (EAI_AGAIN)',
  ECONNREFUSED: () => 'no name server listens there (connection refused)',
  EBADRESP: () => 'the name server sent a malformed answer',
  EFORMERR: () => 'the name server does not understand the question (FORMERR)',
};

/** The title and the code of an issue about a failed look-up. */
export function faultOf(
  error: unknown,
  name: string,
  ofServer: boolean,
): { title: string; code: string } {
  const code = codeOf(error);
  if (error instanceof TimeLimitError || code === 'ETIMEOUT')
    return {
      title: `no answer ${ofServer ? 'to' : 'when looking up'} ${name} in time`,
      code: 'timeout',
    };
  return {
    title: FAULTS[code]?.(name) ?? `looking up ${name} failed (${code || 'unknown error'})`,
    code: code || 'unknown',
  };
}

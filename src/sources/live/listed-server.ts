import { readSecret } from '../../config/secrets.js';
import type { SourceServer } from '../http/source-server.js';
import type { SourceReach } from './source-reach.js';
import { findListed } from './find-listed.js';
import { authorizationOf, type ListedHttp, type ListedServer } from './sources-file.js';

/**
 * How requests are sent to the server of a source. An endpoint of the topology never gets the
 * credentials of a listed server.
 * @throws SourceError if the source has no endpoint, and SOURCES_FILE lists no server of its kind
 *   and id
 */
export function serverOf(
  { id, kind, endpoint }: { id: string; kind: ListedHttp['kind']; endpoint?: string },
  listed: readonly ListedServer[],
  reach: SourceReach,
): SourceServer {
  if (endpoint !== undefined) return { endpoint, egress: reach.egress };
  return listedServer(findListed({ id, kind }, listed), reach);
}

/**
 * How requests are sent to a listed server: with its credentials, which are read for each request.
 */
export function listedServer(listed: ListedHttp, { egress, secretOf }: SourceReach): SourceServer {
  const authorization = authorizationOf(listed, secretOf);
  const { ca } = listed;
  const endpoint =
    'indices' in listed
      ? `${listed.endpoint.replace(/\/+$/, '')}/${listed.indices}`
      : listed.endpoint;
  const tenant = 'tenant' in listed ? listed.tenant : undefined;
  return {
    endpoint,
    egress,
    ...(authorization && { authorization }),
    ...(ca !== undefined && { authority: () => readSecret(ca, secretOf) }),
    ...(tenant !== undefined && { headers: { 'x-scope-orgid': tenant } }),
  };
}

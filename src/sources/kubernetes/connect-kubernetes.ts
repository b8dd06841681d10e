import { readSecret } from '../../config/secrets.js';
import type { SourceServer, TlsIdentity } from '../http/source-server.js';
import { withConnection } from '../http/source-connection.js';
import { SourceError } from '../http/source-error.js';
import { authorizationOf, type ListedKubernetes } from '../live/sources-file.js';
import type { SourceReach } from '../live/source-reach.js';
import { readKubeconfig } from './kubeconfig.js';

/**
 * Runs work with one connection to an API server, for consecutive requests.
 * @throws SourceError `failed` if a credential is missing or the kubeconfig cannot be used; errors
 *   of the work
 */
export async function withKubernetes<Result>(
  listed: ListedKubernetes,
  reach: SourceReach,
  work: (server: SourceServer) => Promise<Result>,
): Promise<Result> {
  const access = await accessOf(listed, reach).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SourceError('failed', why, { cause });
  });
  return withConnection({ ...access, egress: reach.egress }, work);
}

async function accessOf(
  listed: ListedKubernetes,
  { secretOf }: SourceReach,
): Promise<Omit<SourceServer, 'egress'>> {
  const { kubeconfig, context, endpoint = '', ca, auth } = listed;
  const read = (reference: string) => readSecret(reference, secretOf);
  if (kubeconfig !== undefined) {
    const { token, ...access } = await readKubeconfig(await read(kubeconfig), context);
    return {
      ...access,
      ...(token !== undefined && { authorization: () => Promise.resolve(`Bearer ${token}`) }),
    };
  }
  const authorization = authorizationOf(listed, secretOf);
  const tls: TlsIdentity = {
    ...(ca !== undefined && { ca: await read(ca) }),
    ...(auth &&
      'certificate' in auth && { cert: await read(auth.certificate), key: await read(auth.key) }),
  };
  return { endpoint, tls, ...(authorization && { authorization }) };
}

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { rememberSecret } from '../../config/known-secrets.js';
import type { TlsIdentity } from '../http/source-server.js';

const named = <Part extends z.ZodType>(key: string, part: Part) =>
  z.array(z.looseObject({ name: z.string(), [key]: part }).transform((each) => each)).max(1_000);

const text = z.string().max(100_000).optional();
const kubeconfigSchema = z.looseObject({
  'current-context': z.string().optional(),
  clusters: named('cluster', z.looseObject({})),
  contexts: named('context', z.looseObject({})),
  users: named('user', z.looseObject({})),
});
const clusterSchema = z.looseObject({
  server: z.string().regex(/^https:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be an https:// URL'),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'insecure-skip-tls-verify': z.boolean().optional(),
});
const userSchema = z.looseObject({
  token: text,
  tokenFile: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
});
const contextSchema = z.looseObject({ cluster: z.string(), user: z.string() });

/** The server and credentials of a kubeconfig. Never stored, logged or shown. */
export interface KubernetesAccess {
  endpoint: string;
  tls: TlsIdentity;
  token?: string;
}

/**
 * Reads a kubeconfig of the operator (Kubernetes documentation, "Organizing Cluster Access Using
 * kubeconfig Files"). Credential plugins (`exec`, `auth-provider`) are programs and are therefore
 * refused; so is a server that is not verified.
 * @param content the file's text
 * @param context by default its current one
 * @throws Error that names what is missing or refused, never a value
 */
export async function readKubeconfig(content: string, context?: string): Promise<KubernetesAccess> {
  const parsed = kubeconfigSchema.safeParse(parse(content, { maxAliasCount: 100 }));
  if (!parsed.success) throw new Error('it is not a kubeconfig');
  const { contexts, clusters, users } = parsed.data;
  const wanted = context ?? parsed.data['current-context'] ?? '';
  const { cluster, user } = partOf(contexts, wanted, 'context', contextSchema);
  const server = partOf(clusters, cluster, 'cluster', clusterSchema);
  const who = partOf(users, user, 'user', userSchema);
  for (const plugin of ['exec', 'auth-provider'])
    if (who[plugin] !== undefined)
      throw new Error(
        `the user ${user} of the kubeconfig uses ${plugin}, which would run a program`,
      );
  if (server['insecure-skip-tls-verify'] === true)
    throw new Error(
      `the cluster ${cluster} of the kubeconfig is not to be verified (insecure-skip-tls-verify)`,
    );
  const ca = await pemOf(server, 'certificate-authority');
  const cert = await pemOf(who, 'client-certificate');
  const key = await pemOf(who, 'client-key');
  const token = who.token ?? (who.tokenFile && (await readFile(who.tokenFile, 'utf8')).trim());
  for (const secret of [token, key, ...users.map((each) => tokenOf(each['user']))])
    if (secret) rememberSecret(secret);
  return {
    endpoint: server.server,
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
    ...(token && { token }),
  };
}

const tokenOf = (user: unknown): string | undefined => userSchema.safeParse(user).data?.token;

function partOf<Part>(
  list: readonly Record<string, unknown>[],
  name: string,
  key: string,
  schema: z.ZodType<Part>,
): Part {
  const found = list.find((each) => each['name'] === name);
  const parsed = schema.safeParse(found?.[key]);
  if (parsed.success) return parsed.data;
  throw new Error(`the kubeconfig has no usable ${key} ${JSON.stringify(name.slice(0, 100))}`);
}

/** A PEM text, given as base64 (`NAME-data`) or as the path of a file (`NAME`). */
async function pemOf(part: Record<string, unknown>, name: string): Promise<string | undefined> {
  const data = part[`${name}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8');
  const path = part[name];
  return typeof path === 'string' ? readFile(path, 'utf8') : undefined;
}

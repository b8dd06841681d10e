import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { isSecretReference, readSecret } from '../../config/secrets.js';
import { readSettingsFile } from '../../config/settings-file.js';
import { quote } from '../../lib/text.js';
import { bootstrapOf, KAFKA_MECHANISMS } from '../kafka/kafka-server.js';
import type { SqlKind } from '../sql/sql-task.js';

const reference = z
  .string()
  .refine(
    isSecretReference,
    'must be a reference, ${env:NAME} or ${file:/PATH}, and no credential',
  );

const id = z.string().min(1).max(200);
const endpoint = z
  .string()
  .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be a URL without credentials');
const bearer = z.strictObject({ bearer: reference });
const apiKey = z.strictObject({ apiKey: reference });
const password = z.strictObject({ user: z.string().min(1).max(200), password: reference });
/** TLS of a server with a protocol of its own. */
const trust = {
  tls: z.boolean().optional(),
  ca: reference.optional(),
  /** Accepts any certificate. The password is then never sent in a form that others could read. */
  trustSelfSigned: z.boolean().optional(),
  /** The name that the certificate must have, if it is not the host of the endpoint. */
  serverName: z.string().min(1).max(253).optional(),
};
const certificate = z.strictObject({ certificate: reference, key: reference });

/** A server with an HTTP API. */
const httpShape = {
  id,
  endpoint,
  auth: z.union([bearer, password]).optional(),
  /** The certificate of the authority that signed the server's. */
  ca: reference.optional(),
};
/** One of several tenants of the server: the header `X-Scope-OrgID`. */
const tenant = z
  .string()
  .regex(/^[\w.!*'()|-]{1,150}$/, 'must be the id of a tenant')
  .optional();

const prometheusSchema = z.strictObject({ kind: z.literal('prometheus'), ...httpShape });
/** Or OpenSearch. */
const elasticsearchSchema = z.strictObject({
  kind: z.literal('elasticsearch'),
  ...httpShape,
  auth: z.union([bearer, password, apiKey]).optional(),
  /** Names of indices and data streams, joined by commas; `*` stands for any characters. */
  indices: z
    .string()
    .max(1_000)
    .regex(/^[\w.*-]+(?:,[\w.*-]+)*$/, 'must be names of indices, joined by commas')
    .default('logs-*'),
});
const jaegerSchema = z.strictObject({ kind: z.literal('jaeger'), ...httpShape });
const argocdSchema = z.strictObject({ kind: z.literal('argocd'), ...httpShape });
const grafanaSchema = z.strictObject({ kind: z.literal('grafana'), ...httpShape });
/** The address of its REST API: of GitHub Enterprise Server, `https://HOST/api/v3`. */
const githubSchema = z.strictObject({
  kind: z.literal('github'),
  ...httpShape,
  endpoint: endpoint.default('https://api.github.com'),
});
/** The address of its management API. */
const rabbitmqSchema = z.strictObject({ kind: z.literal('rabbitmq'), ...httpShape });
/** Brokers, of which one must answer. */
const kafkaSchema = z.strictObject({
  id,
  kind: z.literal('kafka'),
  endpoint: z
    .string()
    .max(4_000)
    .startsWith('kafka://')
    .refine(
      (text) => bootstrapOf(text) !== undefined,
      'must be kafka://host:port,host:port with at most 30 brokers, without credentials',
    ),
  auth: password.extend({ mechanism: z.enum(KAFKA_MECHANISMS) }).optional(),
  ...trust,
});
/** The state of a cluster: its address without indices. */
const elasticsearchClusterSchema = z.strictObject({
  kind: z.literal('elasticsearch-cluster'),
  ...httpShape,
  auth: z.union([bearer, password, apiKey]).optional(),
});
const alertmanagerSchema = z.strictObject({ kind: z.literal('alertmanager'), ...httpShape });
const tempoSchema = z.strictObject({ kind: z.literal('tempo'), ...httpShape, tenant });
const lokiSchema = z.strictObject({ kind: z.literal('loki'), ...httpShape, tenant });
/** A namespace as RFC 1123 labels are: it becomes a part of paths. */
const namespaces = z
  .array(
    z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be the name of a namespace'),
  )
  .min(1)
  .max(50);
const kubernetesSchema = z.strictObject({
  id,
  kind: z.literal('kubernetes'),
  namespaces,
  endpoint: endpoint.startsWith('https://', 'must be an https:// URL').optional(),
  auth: z.union([bearer, certificate]).optional(),
  /** The certificate of the authority that signed the server's. */
  ca: reference.optional(),
  kubeconfig: reference.optional(),
  context: z.string().max(200).optional(),
});
/** A database server that is asked by its own protocol. */
const sqlSchema = <Kind extends SqlKind>(kind: Kind, form: RegExp) =>
  z.strictObject({
    id,
    kind: z.literal(kind),
    endpoint: z.string().regex(form, `must be ${kind}://host:port/database, without credentials`),
    auth: password.optional(),
    ...trust,
  });
const postgresSchema = sqlSchema('postgres', /^postgres(?:ql)?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/);
/** Or MariaDB. */
const mysqlSchema = sqlSchema('mysql', /^(?:mysql|mariadb):\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/);
/** A server of the Model Context Protocol: a program that this process starts, or an address. */
const mcpSchema = z.strictObject({
  id,
  kind: z.literal('mcp'),
  endpoint: endpoint.optional(),
  auth: z.union([bearer, password]).optional(),
  command: z.array(z.string().max(4_000)).min(1).max(100).optional(),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w{0,99}$/, 'must be a name such as API_TOKEN'), reference)
    .default({}),
});
const absolute = z
  .string()
  .max(1_000)
  .regex(/^\/[^\0]*$/, 'must be an absolute path');
/** The journal of the machine of this process, or one in a folder. */
const journaldSchema = z.strictObject({
  id,
  kind: z.literal('journald'),
  directory: absolute.optional(),
  /** Units that may be read, whatever a topology selects; `*` is every unit. */
  units: z
    .array(z.string().regex(/^(?:\*|[\w@.:\\-]{1,255})$/, 'must be the name of a unit, or *'))
    .min(1)
    .max(100),
});
/** A repository on the machine of this process. */
const gitSchema = z.strictObject({
  id,
  kind: z.literal('git'),
  path: absolute,
  /** Which tags mark a deployment, as patterns of `git for-each-ref`. */
  deployTags: z
    .array(z.string().regex(/^[\w.@/+*-]{1,200}$/, 'must be a pattern such as deploy/*'))
    .max(10)
    .default(['deploy*', 'deploy*/**']),
});
/** A file on the machine of this process. */
const logfileSchema = z.strictObject({ id, kind: z.literal('logfile'), path: absolute });
const serverSchema = z
  .discriminatedUnion('kind', [
    prometheusSchema,
    lokiSchema,
    elasticsearchSchema,
    tempoSchema,
    jaegerSchema,
    kubernetesSchema,
    postgresSchema,
    mysqlSchema,
    rabbitmqSchema,
    kafkaSchema,
    elasticsearchClusterSchema,
    alertmanagerSchema,
    githubSchema,
    argocdSchema,
    grafanaSchema,
    mcpSchema,
    journaldSchema,
    logfileSchema,
    gitSchema,
  ])
  .refine(
    (server) =>
      server.kind !== 'mcp' || (server.command === undefined) !== (server.endpoint === undefined),
    'must have an endpoint or a command, and not both',
  )
  .refine(
    (server) =>
      server.kind !== 'kubernetes' ||
      (server.kubeconfig === undefined) !== (server.endpoint === undefined),
    'must have an endpoint or a kubeconfig, and not both',
  );
const fileSchema = z.strictObject({
  sources: z
    .array(serverSchema)
    .max(100)
    .superRefine((all, context) => {
      const known = new Set<string>();
      for (const [index, { id: own }] of all.entries()) {
        const message = `${quote(own)} is the id of another source already`;
        if (known.has(own)) context.addIssue({ code: 'custom', path: [index, 'id'], message });
        known.add(own);
      }
    }),
});

/** A server of SOURCES_FILE. It holds references to credentials, and no credential. */
export type ListedServer = z.infer<typeof serverSchema>;
/** One that is asked over HTTP. */
export type ListedHttp = Exclude<
  ListedServer,
  { kind: 'kubernetes' | SqlKind | 'kafka' | 'mcp' | 'journald' | 'logfile' | 'git' }
>;
/** Logs that lie on the machine of this process. */
export type ListedMachineLog = z.infer<typeof journaldSchema> | z.infer<typeof logfileSchema>;
export type ListedGit = z.infer<typeof gitSchema>;
export type ListedMcp = z.infer<typeof mcpSchema>;
export type ListedSql = z.infer<typeof postgresSchema> | z.infer<typeof mysqlSchema>;
export type ListedKafka = z.infer<typeof kafkaSchema>;
export type ListedKubernetes = z.infer<typeof kubernetesSchema>;

/**
 * The servers that the operator lists; none without a file.
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line
 */
export const readSourcesFile = (path: string | undefined): ListedServer[] =>
  path === undefined ? [] : readSettingsFile('SOURCES_FILE', path, fileSchema).sources;

/** Reads the header `Authorization` for a server, if it has credentials. */
export function authorizationOf(
  { auth }: Pick<ListedHttp | ListedMcp | ListedKubernetes, 'auth'>,
  secretOf: Config['secretOf'],
): (() => Promise<string>) | undefined {
  if (auth === undefined || 'certificate' in auth) return undefined;
  return async () => {
    if ('apiKey' in auth) return `ApiKey ${await readSecret(auth.apiKey, secretOf)}`;
    if ('bearer' in auth) return `Bearer ${await readSecret(auth.bearer, secretOf)}`;
    const pair = `${auth.user}:${await readSecret(auth.password, secretOf)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  };
}

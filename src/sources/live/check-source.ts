import { askSource, type SourceQuestion } from '../http/source-client.js';
import { SourceError, type SourceFailure } from '../http/source-error.js';
import { withKubernetes } from '../kubernetes/connect-kubernetes.js';
import { readCluster } from '../kubernetes/read-cluster.js';
import { knownSecrets } from '../../config/known-secrets.js';
import { readSecret } from '../../config/secrets.js';
import { redactSecrets } from '../../lib/redact-secrets.js';
import { redactValues } from '../../lib/redact-values.js';
import { definitionOf } from '../mcp/tool-definition.js';
import { withPostgres } from '../postgres/postgres-session.js';
import { listedServer } from './listed-server.js';
import { tlsOf } from './server-access.js';
import type { SourceReach } from './source-reach.js';
import type { ListedHttp, ListedPostgres, ListedServer } from './sources-file.js';

/** Whether a listed source answers. Never holds a credential. */
export interface SourceState {
  id: string;
  kind: ListedServer['kind'];
  /** Empty where a kubeconfig says it. */
  endpoint: string;
  state: 'ok' | SourceFailure;
  /** What is wrong, and what that hides; empty where nothing is. */
  detail: string;
  /** Of an MCP server: the tools that it offers, with the digests that approve them. */
  tools?: { name: string; definition: string }[];
}

type Answered = Pick<SourceState, 'detail' | 'tools'>;

/** What nodes lack where a source of this kind does not answer. */
const HIDDEN: Readonly<Record<ListedServer['kind'], string>> = {
  prometheus: 'Nodes have no metrics from it.',
  github: 'Nodes have no changes from it.',
  argocd: 'Nodes have no changes from it.',
  grafana: 'Nodes have no changes from it.',
  rabbitmq: 'Nodes that select from it are not measured.',
  postgres: 'Nodes that select from it are not measured.',
  mcp: 'The tools of TOOLS_DIR that call it fail.',
  kubernetes: 'Nodes have no objects, pod logs and rollouts from it.',
  loki: 'Nodes have no logs from it.',
  elasticsearch: 'Nodes have no logs from it.',
  tempo: 'Nodes have no traces from it.',
  jaeger: 'Nodes have no traces from it.',
};

/** What costs a server little, and needs the right to read. */
const SMALL: Readonly<Record<ListedHttp['kind'], SourceQuestion>> = {
  prometheus: { path: '/api/v1/query', form: { query: '1' } },
  loki: { path: '/loki/api/v1/labels' },
  elasticsearch: { path: '/_search?size=0&terminate_after=1' },
  tempo: { path: '/api/search/tags' },
  jaeger: { path: '/api/services' },
  github: { path: '/rate_limit', headers: { 'user-agent': 'consilium' } },
  argocd: { path: '/api/v1/projects?fields=items.metadata.name' },
  grafana: { path: '/api/annotations?limit=1' },
  // Which needs the tag monitoring.
  rabbitmq: { path: '/api/nodes?columns=name' },
};

/** Asks a server of SOURCES_FILE something small, with its credential. */
export async function checkSource(
  server: ListedServer,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<SourceState> {
  const { id, kind, endpoint = '' } = server;
  const known = { id, kind, endpoint };
  try {
    return { ...known, state: 'ok', ...(await askSmall(server, reach, signal)) };
  } catch (error) {
    signal.throwIfAborted();
    const state = error instanceof SourceError ? error.failure : 'failed';
    const said = error instanceof Error ? error.message : String(error);
    // Servers and programs write what they like, also the credential that they got.
    const plain = redactSecrets(redactValues(knownSecrets())(said));
    return { ...known, state, detail: `${plain}. ${HIDDEN[kind]}` };
  }
}

/** @returns what the credential may not see, and what is offered */
async function askSmall(
  server: ListedServer,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<Answered> {
  switch (server.kind) {
    case 'prometheus':
    case 'loki':
    case 'elasticsearch':
    case 'tempo':
    case 'jaeger':
    case 'rabbitmq':
    case 'github':
    case 'argocd':
    case 'grafana':
      await askSource(listedServer(server, reach), SMALL[server.kind], signal);
      return { detail: '' };
    case 'postgres':
      return { detail: await askPostgres(server, reach, signal) };
    case 'mcp': {
      // Loaded with the first call, see callMcp.
      const { withMcp } = await import('../mcp/mcp-session.js');
      const tools = await withMcp(server, reach, { signal, timeoutMs: MCP_MS }, (session) =>
        session.tools(),
      );
      const offered = tools.map((tool) => ({ name: tool.name, definition: definitionOf(tool) }));
      return { detail: '', tools: offered };
    }
    case 'kubernetes': {
      const { namespaces } = server;
      const { refused } = await withKubernetes(server, reach, (api) =>
        readCluster({ server: api, namespaces }, signal, { perList: 1 }),
      );
      const hidden = [...refused].join(', ');
      const detail = `The credential may not list ${hidden}: what is wrong with them is not seen.`;
      return { detail: refused.size === 0 ? '' : detail };
    }
  }
}

const CONNECT_MS = 5_000;
const MCP_MS = 10_000;
const DEFAULT_PORT = 5432;

async function askPostgres(
  server: ListedPostgres,
  { egress, secretOf }: SourceReach,
  signal: AbortSignal,
): Promise<string> {
  const { endpoint, auth } = server;
  const { hostname, port, pathname } = new URL(endpoint);
  const tls = await tlsOf(server, secretOf);
  const login = {
    ...{ host: hostname, port: Number(port) || DEFAULT_PORT, user: auth?.user ?? 'postgres' },
    database: pathname.slice(1) || 'postgres',
    ...(auth && { password: await readSecret(auth.password, secretOf) }),
    ...(tls && { tls }),
  };
  const leave = await egress.enter(login, signal);
  try {
    return await withPostgres(login, { egress, signal, timeoutMs: CONNECT_MS }, async (session) => {
      const text = `select pg_has_role(current_user, 'pg_monitor', 'member') as monitor`;
      const [row] = await session.query(text);
      return row?.['monitor'] === true
        ? ''
        : 'The user is no member of pg_monitor: statements and states of others are hidden.';
    });
  } catch (cause) {
    signal.throwIfAborted();
    const { code = '', message } = cause as { code?: string; message: string };
    // SQLSTATE class 28: invalid authorization. Errors of the network have codes in capitals that begin with E.
    const failure = code.startsWith('28')
      ? 'refused'
      : code.startsWith('E')
        ? 'unreachable'
        : 'failed';
    throw new SourceError(failure, message, { cause });
  } finally {
    await leave();
  }
}

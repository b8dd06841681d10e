import type { Tool as McpTool } from '@modelcontextprotocol/client';
import { countQueues, hiddenQueuesText } from '../rabbitmq/read-rabbitmq.js';
import { z } from 'zod';
import { askSource, type SourceQuestion } from '../http/source-client.js';
import { SourceError, type SourceFailure } from '../http/source-error.js';
import { withKubernetes } from '../kubernetes/connect-kubernetes.js';
import { namespacesWithoutLogs } from '../kubernetes/pod-logs.js';
import { readCluster } from '../kubernetes/read-cluster.js';
import { checkRepository } from '../git/read-repository.js';
import { knownSecrets } from '../../config/known-secrets.js';
import { clip } from '../../lib/text.js';
import { redactSecrets } from '../../lib/redact-secrets.js';
import { redactValues } from '../../lib/redact-values.js';
import { readMachineLog } from '../machine/read-machine-log.js';
import { readMetadata } from '../kafka/read-kafka.js';
import { definitionOf } from '../mcp/tool-definition.js';
import { listedServer } from './listed-server.js';
import { askSql } from './check-sql.js';
import { kafkaServer } from './server-access.js';
import type { SourceReach } from './source-reach.js';
import type { ListedHttp, ListedKafka, ListedMachineLog, ListedServer } from './sources-file.js';

/** Whether a listed source answers. Never holds a credential. */
export interface SourceState {
  id: string;
  kind: ListedServer['kind'];
  /** Empty if it is defined by a kubeconfig, or is on this machine. */
  endpoint: string;
  state: 'ok' | SourceFailure;
  /** The fault, and what it hides; empty if there is none. */
  detail: string;
  /** Of an MCP server: the tools that it offers. */
  tools?: OfferedByServer[];
}

/**
 * A tool of an MCP server, with the information that a person needs to approve it. All but the
 * digest is text of the server.
 */
export interface OfferedByServer {
  name: string;
  /** The digest that approves it. */
  definition: string;
  description: string;
  /** Names of its arguments. */
  arguments: string[];
}

type CheckAnswer = Pick<SourceState, 'detail' | 'tools'>;

/**
 * What nodes lack if a source of this kind does not answer; undefined if the source is itself the
 * subject of a diagnosis.
 */
const HIDDEN: Readonly<Record<ListedServer['kind'], string | undefined>> = {
  prometheus: 'Nodes have no metrics from it.',
  github: 'Nodes have no changes from it.',
  argocd: 'Nodes have no changes from it.',
  grafana: 'Nodes have no changes from it.',
  git: 'Nodes have no changes from it.',
  'elasticsearch-cluster': undefined,
  alertmanager: 'Nodes have no alerts from it.',
  kafka: undefined,
  rabbitmq: undefined,
  postgres: undefined,
  mysql: undefined,
  mcp: 'The tools of TOOLS_DIR that call it fail.',
  kubernetes: 'Nodes have no objects, pod logs and rollouts from it.',
  journald: 'Nodes have no logs from it.',
  logfile: 'Nodes have no logs from it.',
  loki: 'Nodes have no logs from it.',
  elasticsearch: 'Nodes have no logs from it.',
  tempo: 'Nodes have no traces from it.',
  jaeger: 'Nodes have no traces from it.',
};

/** The text for a source that is the subject of a diagnosis. */
const MEASURED: Readonly<Record<SourceFailure, string>> = {
  refused: 'Nodes that select from it are unchecked.',
  unreachable: 'A diagnosis reports this at the nodes that select from it.',
  failed: 'A diagnosis reports this at the nodes that select from it.',
};

/** A cheap request that needs the right to read. */
const SMALL: Readonly<Record<ListedHttp['kind'], SourceQuestion>> = {
  prometheus: { path: '/api/v1/query', form: { query: '1' } },
  loki: { path: '/loki/api/v1/labels' },
  elasticsearch: { path: '/_search?size=0&terminate_after=1' },
  tempo: { path: '/api/search/tags' },
  jaeger: { path: '/api/services' },
  github: { path: '/rate_limit', headers: { 'user-agent': 'consilium' } },
  argocd: { path: '/api/v1/projects?fields=items.metadata.name' },
  grafana: { path: '/api/annotations?limit=1' },
  // It needs the tag monitoring.
  rabbitmq: { path: '/api/nodes?columns=name' },
  'elasticsearch-cluster': { path: '/_cluster/health' },
  alertmanager: { path: '/api/v2/status' },
};

/**
 * The answer of a kind's API to the small request. Lists that are empty may be missing or `null`.
 */
const ANSWERS: Readonly<Record<ListedHttp['kind'], z.ZodType>> = {
  prometheus: z.object({
    status: z.literal('success'),
    data: z.object({ resultType: z.string() }),
  }),
  loki: z.object({ status: z.literal('success') }),
  elasticsearch: z.object({ hits: z.object({ hits: z.array(z.unknown()) }) }),
  tempo: z.union([
    z.object({ tagNames: z.array(z.unknown()) }),
    z.object({ metrics: z.record(z.string(), z.unknown()) }),
  ]),
  jaeger: z.object({ data: z.array(z.unknown()).nullable() }),
  github: z.object({ resources: z.object({ core: z.object({ limit: z.number() }) }) }),
  argocd: z.strictObject({
    items: z.array(z.object({ metadata: z.object({ name: z.string() }) })).nullish(),
    metadata: z.unknown().optional(),
  }),
  grafana: z.array(z.object({ id: z.number(), time: z.number() })),
  rabbitmq: z.array(z.object({ name: z.string() })).min(1),
  'elasticsearch-cluster': z.object({ cluster_name: z.string(), status: z.string() }),
  alertmanager: z.object({ cluster: z.object({ status: z.string() }), uptime: z.string() }),
};

/** Characters of an answer that does not belong to its kind. */
const SHOWN = 100;
/** ms in the future: no line is later. */
const FAR = 4e12;

const lastLineOf = (server: ListedMachineLog) => ({
  selector: server.kind === 'journald' ? (server.units[0] ?? '*') : '*',
  window: { from: 0, to: FAR },
  most: 1,
});

/** Sends a small request to a server of SOURCES_FILE, with its credential. */
export async function checkSource(
  server: ListedServer,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<SourceState> {
  const { id, kind } = server;
  const endpoint = ('endpoint' in server ? server.endpoint : undefined) ?? '';
  const known = { id, kind, endpoint };
  try {
    return { ...known, state: 'ok', ...(await askSmall(server, reach, signal)) };
  } catch (error) {
    signal.throwIfAborted();
    const state = error instanceof SourceError ? error.failure : 'failed';
    const said = error instanceof Error ? error.message : String(error);
    return {
      ...known,
      state,
      detail: `${withoutSecrets(said)}. ${HIDDEN[kind] ?? MEASURED[state]}`,
    };
  }
}

/** Characters of a description, names of arguments, and the characters of each. */
const MOST_DESCRIPTION = 500;
const MOST_ARGUMENTS = 30;
const MOST_NAME = 100;

const offeredBy = (tool: McpTool): OfferedByServer => ({
  name: tool.name,
  definition: definitionOf(tool),
  description: clip(withoutSecrets(tool.description ?? ''), MOST_DESCRIPTION),
  arguments: Object.keys(tool.inputSchema.properties ?? {})
    .slice(0, MOST_ARGUMENTS)
    .map((name) => clip(withoutSecrets(name), MOST_NAME)),
});

/** Servers and programs may write anything, also the credential that they received. */
const withoutSecrets = (said: string): string => redactSecrets(redactValues(knownSecrets())(said));

/** @returns what the credential may not see, and the offered tools */
async function askSmall(
  server: ListedServer,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  switch (server.kind) {
    case 'prometheus':
    case 'loki':
    case 'elasticsearch':
    case 'tempo':
    case 'jaeger':
    case 'elasticsearch-cluster':
    case 'alertmanager':
    case 'github':
    case 'argocd':
    case 'grafana':
      return askHttp(server, reach, signal);
    case 'rabbitmq':
      await askHttp(server, reach, signal);
      return { detail: await hiddenInRabbit(server, reach, signal) };
    case 'postgres':
    case 'mysql':
      return { detail: await askSql(server, reach, signal) };
    case 'kafka':
      return { detail: await askKafka(server, reach, signal) };
    case 'journald':
    case 'logfile':
      await readMachineLog(server, lastLineOf(server), signal);
      return { detail: '' };
    case 'git':
      await checkRepository(server, signal);
      return { detail: '' };
    case 'mcp': {
      // Loaded with the first call, see callMcp.
      const { withMcp } = await import('../mcp/mcp-session.js');
      const tools = await withMcp(server, reach, { signal, timeoutMs: MCP_MS }, (session) =>
        session.tools(),
      );
      return { detail: '', tools: tools.map(offeredBy) };
    }
    case 'kubernetes': {
      const { namespaces } = server;
      const { refused, mute } = await withKubernetes(server, reach, async (api) => {
        const reading = await readCluster({ server: api, namespaces }, signal, { perList: 1 });
        const pods = reading.objects.filter(({ kind }) => kind === 'Pod');
        const without = await namespacesWithoutLogs(api, { namespaces, pods }, signal);
        return { refused: [...reading.refused], mute: without };
      });
      const hidden = [
        ...(refused.length > 0
          ? [`The credential may not list ${refused.join(', ')}: their faults are not detected.`]
          : []),
        ...(mute.length > 0
          ? [
              `It may not read logs of pods (pods/log) in ${mute.join(', ')}: nodes that select from there are unchecked if nothing is wrong with their objects.`,
            ]
          : []),
      ];
      return { detail: hidden.join(' ') };
    }
  }
}

/** @throws SourceError also if the server is not the API of the kind */
async function askHttp(
  server: ListedHttp,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<CheckAnswer> {
  const value = await askSource(listedServer(server, reach), SMALL[server.kind], signal);
  if (!ANSWERS[server.kind].safeParse(value).success)
    throw new SourceError(
      'failed',
      `the server is not the API of the kind ${server.kind}: ${clip(JSON.stringify(value), SHOWN)}`,
    );
  return { detail: '' };
}

/** @returns what the user may not see */
async function hiddenInRabbit(
  server: ListedHttp,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<string> {
  const { seen, hidden } = await countQueues(listedServer(server, reach), signal);
  return hidden === 0 ? '' : hiddenQueuesText(hidden, seen);
}

/** @returns what the user may not see */
async function askKafka(
  server: ListedKafka,
  { egress, secretOf }: SourceReach,
  signal: AbortSignal,
): Promise<string> {
  const reach = { egress, signal, timeoutMs: KAFKA_MS };
  const { topics } = await readMetadata(await kafkaServer(server, secretOf), reach);
  return topics > 0 ? '' : 'No topic is shown: there is none, or the user may describe none.';
}

const MCP_MS = 10_000;
/** For the connection and for each answer. */
const KAFKA_MS = 5_000;

import { readFile, stat } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { draftOf, type TopologyDraft } from '../../domain/discovery/draft.js';
import { foundInCompose, parseEnvFile } from '../../domain/discovery/from-compose.js';
import { foundInMetrics, GRAPH_METRICS, JOBS } from '../../domain/discovery/from-graph-metrics.js';
import { foundInKubernetes } from '../../domain/discovery/from-kubernetes.js';
import { foundInSpans, type ServiceSpan } from '../../domain/discovery/from-spans.js';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { fieldsOf, listOf, textOf, type Fields } from '../../domain/kubernetes/fields.js';
import { unreadable } from '../../lib/unreadable.js';
import { yamlDepth } from '../../lib/yaml-depth.js';
import { withConnection } from '../http/source-connection.js';
import { withKubernetes } from '../kubernetes/connect-kubernetes.js';
import { readCluster } from '../kubernetes/read-cluster.js';
import { listedServer } from '../live/listed-server.js';
import { instantSamples } from '../live/prometheus-metrics.js';
import type { SourceReach } from '../live/source-reach.js';
import type { ListedHttp, ListedKubernetes } from '../live/sources-file.js';
import { spansIn } from '../recording/parse-traces.js';

const MOST_BYTES = 64 * 2 ** 20;
const MOST_DEPTH = 100;
/** Of a source that is not listed: the id that the operator gives it later. */
const UNLISTED = 'k8s';

/** Kinds that a draft is made of. */
const NEEDED = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Service',
  'ConfigMap',
  'Ingress',
]);

/** From compose files, merged in their order. @param envFile of variables; absent: none */
export async function discoverCompose(
  files: readonly string[],
  envFile: string | undefined,
): Promise<TopologyDraft> {
  const parsed = await Promise.all(files.map(async (file) => (await documentsIn(file))[0]));
  const env = envFile === undefined ? {} : parseEnvFile(await textIn(envFile));
  const { nodes, edges, unread } = foundInCompose(parsed, env);
  return draftOf(nodes, edges, unread);
}

/** From manifests, or what `kubectl get -o yaml` printed: Kubernetes objects as YAML or JSON. */
export async function discoverManifests(files: readonly string[]): Promise<TopologyDraft> {
  const documents = (await Promise.all(files.map(documentsIn))).flat();
  const objects = documents.flatMap((document) => objectsIn(fieldsOf(document)));
  const { nodes, edges } = foundInKubernetes(objects, UNLISTED);
  return draftOf(nodes, edges);
}

/** From the objects of a listed cluster. @throws SourceError; the signal's reason */
export async function discoverCluster(
  listed: ListedKubernetes,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<TopologyDraft> {
  const { objects, refused } = await withKubernetes(listed, reach, (server) =>
    readCluster({ server, namespaces: listed.namespaces }, signal, { keepValues: true }),
  );
  const { nodes, edges } = foundInKubernetes(objects, listed.id);
  const unread = [...refused]
    .filter((kind) => NEEDED.has(kind))
    .map((kind) => `${kind}, which the credential may not list: nodes or edges are missing.`);
  return draftOf(nodes, edges, unread);
}

/**
 * From the service graph that a listed Prometheus holds, one query for each kind of graph.
 * @throws SourceError; the signal's reason
 */
export async function discoverMetrics(
  listed: ListedHttp,
  reach: SourceReach,
  signal: AbortSignal,
): Promise<TopologyDraft> {
  const [jobs = [], ...graphs] = await withConnection(
    listedServer(listed, reach),
    async (server) => {
      const answers = [];
      for (const query of [JOBS, ...GRAPH_METRICS.map(({ expression }) => expression)])
        answers.push(await instantSamples(server, query, signal));
      return answers;
    },
  );
  const { nodes, edges } = foundInMetrics(graphs, jobs, listed.id);
  return draftOf(nodes, edges);
}

/** From files of spans: OTLP/JSON or answers of Jaeger, whole or one in each line. */
export async function discoverTraces(files: readonly string[]): Promise<TopologyDraft> {
  const spans: ServiceSpan[] = [];
  for (const file of files)
    for (const value of await jsonIn(file))
      for (const { span, labels } of spansIn(value)) {
        const service = labels['service.name'] ?? '';
        if (service !== '') spans.push({ ...span, service });
      }
  const { nodes, edges } = foundInSpans(spans);
  return draftOf(nodes, edges);
}

async function textIn(file: string): Promise<string> {
  const { size } = await stat(file).catch((cause: unknown) => {
    throw new Error(unreadable(file, cause), { cause });
  });
  if (size > MOST_BYTES) throw new Error(`${file} is larger than ${MOST_BYTES} bytes`);
  return readFile(file, 'utf8');
}

async function documentsIn(file: string): Promise<unknown[]> {
  const text = await textIn(file);
  // The parser is recursive, and its check for unique keys compares each key with all others.
  if (yamlDepth(text) > MOST_DEPTH)
    throw new Error(`${file} is nested deeper than ${MOST_DEPTH} levels`);
  const options = { logLevel: 'silent', merge: true, uniqueKeys: false } as const;
  return parseAllDocuments(text, options).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${file}: ${error.message.split('\n')[0]}`);
    return document.toJS({ maxAliasCount: 1_000 }) as unknown;
  });
}

function objectsIn(document: Fields): KubernetesObject[] {
  const kind = textOf(document['kind']);
  if (kind.endsWith('List')) {
    const ofItems = kind.slice(0, -'List'.length);
    return listOf(document['items']).flatMap((item) => objectsIn({ kind: ofItems, ...item }));
  }
  const metadata = fieldsOf(document['metadata']);
  const name = textOf(metadata['name']);
  const namespace = textOf(metadata['namespace']) || 'default';
  return kind === '' || name === '' ? [] : [{ kind, name, namespace, object: { ...document } }];
}

/** The JSON of a file: one value, or one in each line. */
async function jsonIn(file: string): Promise<unknown[]> {
  const text = await textIn(file);
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return text.split('\n').flatMap((line, index): unknown[] => {
      if (line.trim() === '') return [];
      try {
        return [JSON.parse(line) as unknown];
      } catch {
        throw new Error(`${file}: line ${index + 1} is not JSON`);
      }
    });
  }
}

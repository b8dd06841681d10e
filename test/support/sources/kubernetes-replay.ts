import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { testCertificate } from '../loopback.js';

const FOLDER = join(import.meta.dirname, '../../fixtures/kubernetes');
export const KUBERNETES_TOKEN = 'k8s-tok-1a2b3c';

export type KubernetesItem = Record<string, unknown> & {
  metadata: { name: string; namespace?: string; [field: string]: unknown };
};

/** Answers of list calls, by group version and resource: `apps/v1 deployments`. */
export type KubernetesState = Map<string, { kind: string; items: KubernetesItem[] }>;

/** Names of the files of a recording, where they are not those of the resource. */
const RESOURCES: Readonly<Record<string, string>> = {
  crons: 'cronjobs',
  hpas: 'horizontalpodautoscalers',
  netpols: 'networkpolicies',
  pdbs: 'poddisruptionbudgets',
  pvcs: 'persistentvolumeclaims',
  quotas: 'resourcequotas',
  validating: 'validatingwebhookconfigurations',
};

/** The answers of a real API server 1.20 for a namespace that is broken in 28 ways. */
export function brokenNamespace(): KubernetesState {
  const state: KubernetesState = new Map();
  for (const file of readdirSync(FOLDER)) {
    const { apiVersion, ...list } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as {
      apiVersion: string;
      kind: string;
      items: KubernetesItem[];
    };
    const base = file.replace('.json', '');
    state.set(`${apiVersion} ${RESOURCES[base] ?? base}`, list);
  }
  return state;
}

/** What of it is well: one deployment with its service, on two machines. */
export function healthyNamespace(): KubernetesState {
  const well = /^(?:api(?:-[0-9a-f]+.*)?|api-env|kube-root-ca\.crt|node-[12])$/;
  // A budget that allows no disruption and an autoscaler without metrics are wrong there, too.
  const wrong = new Set(['horizontalpodautoscalers', 'poddisruptionbudgets', 'events']);
  return new Map(
    [...brokenNamespace()].map(([key, { kind, items }]) => [
      key,
      {
        kind,
        items: wrong.has(key.split(' ')[1] ?? '')
          ? []
          : items.filter(({ metadata }) => well.test(metadata.name)),
      },
    ]),
  );
}

export interface KubernetesReplay {
  url: string;
  /** Paths with their queries, in order. */
  asked: string[];
  /** Connections that were opened. */
  connections: () => number;
  /**
   * Answers lists of these resources with 403, as an API server does whose roles do not name them.
   */
  forbid: (...resources: string[]) => void;
  close: () => Promise<void>;
}

/**
 * An HTTPS server that answers list, log and discovery calls as the Kubernetes API does (limit and
 * continue, 401, 403, 404).
 */
export async function startKubernetesReplay(
  state: KubernetesState,
  logs: Readonly<Record<string, string>> = {},
): Promise<KubernetesReplay> {
  const asked: string[] = [];
  const forbidden = new Set<string>();
  let connections = 0;
  const server = createServer(testCertificate('valid'), (request, response) => {
    asked.push(request.url ?? '');
    answer(request, response, { state, logs, forbidden });
  });
  server.on('secureConnection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    asked,
    connections: () => connections,
    forbid: (...resources) => resources.forEach((each) => forbidden.add(each)),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Held {
  state: KubernetesState;
  logs: Readonly<Record<string, string>>;
  forbidden: ReadonlySet<string>;
}

function answer(request: IncomingMessage, response: ServerResponse, held: Held): void {
  const url = new URL(request.url ?? '', 'https://replay');
  const refuse = (code: number, reason: string, kind = '') => {
    const status = { kind: 'Status', status: 'Failure', reason, code, details: { kind } };
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...status, message: `${kind} ${reason}` }));
  };
  const give = (value: object) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (request.headers.authorization !== `Bearer ${KUBERNETES_TOKEN}`)
    return refuse(401, 'Unauthorized');
  if (url.pathname === '/apis') return give({ kind: 'APIGroupList', groups: groupsOf(held.state) });
  const [, pod] = /\/pods\/([^/]+)\/log$/.exec(url.pathname) ?? [];
  if (pod !== undefined) {
    if (held.forbidden.has('pods/log')) return refuse(403, 'Forbidden', 'pods/log');
    const life = url.searchParams.has('previous') ? ' previous' : '';
    const text = held.logs[`${pod} ${url.searchParams.get('container')}${life}`];
    if (text === undefined) return refuse(400, 'BadRequest', pod);
    response.writeHead(200, { 'content-type': 'text/plain' });
    return void response.end(text);
  }
  const [, version = '', namespace, resource = ''] =
    /^\/(?:api|apis)\/(v1|[^/]+\/[^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)$/.exec(url.pathname) ??
    [];
  if (held.forbidden.has(resource)) return refuse(403, 'Forbidden', resource);
  const list = held.state.get(`${version} ${resource}`);
  if (list === undefined) return refuse(404, 'NotFound', resource);
  const items = list.items.filter(
    ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
  );
  const from = Number(url.searchParams.get('continue') ?? 0);
  const to = from + Number(url.searchParams.get('limit') ?? items.length);
  const metadata = to < items.length ? { continue: String(to) } : {};
  return give({ kind: list.kind, apiVersion: version, metadata, items: items.slice(from, to) });
}

function groupsOf(state: KubernetesState) {
  const versions = new Set([...state.keys()].map((key) => key.split(' ')[0] ?? ''));
  return [...versions]
    .filter((version) => version !== 'v1')
    .map((groupVersion) => ({ versions: [{ groupVersion }] }));
}

import { z } from 'zod';
import type { KubernetesObject } from '../../domain/telemetry/records.js';
import { fieldsOf } from '../../domain/kubernetes/fields.js';
import { askSource, MOST_BYTES } from '../http/source-client.js';
import type { SourceServer } from '../http/source-server.js';
import { SourceError } from '../http/source-error.js';
import { bareObject } from './bare-object.js';
import { RESOURCES, type ResourceType } from './resource-types.js';

/** Maximum objects of one answer; an API server may return fewer and a token to continue. */
const PAGE = 500;
/** Maximum pages of one list: a server that returns empty ones with a token would never end. */
const MOST_PAGES = 100;

/** Maximum namespaces of a cluster that are read. */
export interface ClusterScope {
  server: SourceServer;
  namespaces: readonly string[];
}

export interface ClusterReading {
  objects: KubernetesObject[];
  /** Kinds that were listed, even if the list was empty. */
  kinds: Set<string>;
  /**
   * Kinds that the credential may not list. Nothing is known about their objects, not even whether
   * there are any.
   */
  refused: Set<string>;
  /** There is more than two MiB, or than 100 pages of one list: the rest was not read. */
  incomplete: boolean;
}

const groups = z.object({
  groups: z.array(z.object({ versions: z.array(z.object({ groupVersion: z.string() })) })),
});
const list = z.object({
  metadata: z.object({ continue: z.string().optional() }).default({}),
  items: z.array(z.unknown()),
});
const identity = z.looseObject({ name: z.string(), namespace: z.string().optional() });

interface ReadOptions {
  /** Objects of each list at most; by default all. */
  perList?: number;
  /** Keeps the values of config maps and of variables, which may be secrets. */
  keepValues?: boolean;
}

/**
 * Lists the objects that the rules need, one request after the other, at most 2 MiB in all.
 * @throws SourceError if no list could be read; the signal's reason
 */
export async function readCluster(
  { server, namespaces }: ClusterScope,
  signal: AbortSignal,
  { perList = Infinity, keepValues = false }: ReadOptions = {},
): Promise<ClusterReading> {
  const reading: ClusterReading = {
    objects: [],
    kinds: new Set(),
    refused: new Set(),
    incomplete: false,
  };
  const served = await servedVersions(server, signal);
  const lists = RESOURCES.flatMap((resource) =>
    (resource.clusterWide ? [''] : namespaces).map((namespace) => ({ resource, namespace })),
  );
  let left = MOST_BYTES;
  for (const { resource, namespace } of lists) {
    // A version may be served without the resource: batch/v1 had no cron jobs before Kubernetes
    // 1.21.
    for (const version of resource.versions.filter((each) => each === 'v1' || served.has(each))) {
      if (reading.refused.has(resource.kind)) break;
      try {
        const call = { version, resource, namespace, perList };
        let pages = 0;
        for await (const { items, bytes, hasMore } of pagesOf(server, call, signal)) {
          left -= bytes;
          pages += 1;
          if (left < 0 || pages > MOST_PAGES) return { ...reading, incomplete: true };
          reading.objects.push(...(keepValues ? items : items.map(bareObject)));
          reading.incomplete ||= hasMore;
        }
        reading.kinds.add(resource.kind);
        break;
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        if (error.failure === 'refused') reading.refused.add(resource.kind);
        else if (error.status !== 404) throw error;
      }
    }
  }
  if (reading.kinds.size === 0)
    throw new SourceError(
      'refused',
      `${new URL(server.endpoint).host}: the credential may list nothing`,
    );
  return reading;
}

/** The group versions of the server, which depend on its age. */
async function servedVersions(server: SourceServer, signal: AbortSignal): Promise<Set<string>> {
  const parsed = groups.safeParse(await askSource(server, { path: '/apis' }, signal));
  if (!parsed.success)
    throw new SourceError('failed', 'the answer is not the list of groups of the Kubernetes API');
  const versions = parsed.data.groups.flatMap((group) => group.versions);
  return new Set(versions.map(({ groupVersion }) => groupVersion));
}

interface ListCall {
  version: string;
  resource: ResourceType;
  /** Empty: the whole cluster. */
  namespace: string;
  perList: number;
}

async function* pagesOf(
  server: SourceServer,
  { version, resource, namespace, perList }: ListCall,
  signal: AbortSignal,
): AsyncGenerator<{ items: KubernetesObject[]; bytes: number; hasMore: boolean }> {
  const root = version === 'v1' ? '/api/v1' : `/apis/${version}`;
  const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  let next = '';
  do {
    const query = new URLSearchParams({ limit: String(Math.min(PAGE, perList)) });
    if (next !== '') query.set('continue', next);
    const path = `${root}${scope}/${resource.name}?${query.toString()}`;
    const answer = await askSource(server, { path }, signal);
    const parsed = list.safeParse(answer);
    if (!parsed.success)
      throw new SourceError(
        'failed',
        `${resource.name}: the answer is no list of the Kubernetes API`,
      );
    const { items, metadata } = parsed.data;
    const bytes = Buffer.byteLength(JSON.stringify(answer));
    yield {
      items: items.slice(0, PAGE).flatMap((item) => objectOf(resource.kind, fieldsOf(item))),
      // A server that follows the protocol has no more in one answer.
      bytes,
      hasMore: items.length > PAGE,
    };
    next = perList === Infinity ? (metadata.continue ?? '') : '';
  } while (next !== '');
}

function objectOf(kind: string, item: Record<string, unknown>): KubernetesObject[] {
  const parsed = identity.safeParse(item['metadata']);
  if (!parsed.success) return [];
  const { name, namespace } = parsed.data;
  return [{ kind, name, ...(namespace !== undefined && { namespace }), object: item }];
}

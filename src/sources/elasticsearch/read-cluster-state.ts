import { z } from 'zod';
import { pause } from '../../lib/async.js';
import { askSource, type SourceQuestion } from '../http/source-client.js';
import { withConnection } from '../http/source-connection.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';

const text = z.string().transform((value) => value.slice(0, 200));
const count = z.number().nonnegative().catch(0);

const health = z.object({
  cluster_name: text,
  status: z.enum(['green', 'yellow', 'red']),
  number_of_nodes: count,
  number_of_data_nodes: count,
  active_shards: count,
  unassigned_shards: count,
  initializing_shards: count,
  relocating_shards: count,
  number_of_pending_tasks: count,
  task_max_waiting_in_queue_millis: count,
});
const pool = z.object({ rejected: count }).optional();
const member = z.object({
  name: text,
  jvm: z.object({ mem: z.object({ heap_used_percent: count }) }).optional(),
  fs: z
    .object({ total: z.object({ total_in_bytes: count, available_in_bytes: count }) })
    .optional(),
  thread_pool: z.object({ write: pool, search: pool }).optional(),
});
const stats = z.object({ nodes: z.record(z.string(), z.unknown()).default({}) });
const explanation = z.object({
  index: text.default(''),
  primary: z.boolean().default(false),
  unassigned_info: z.object({ reason: text.default('') }).optional(),
  allocate_explanation: text.default(''),
});

export interface ClusterMember {
  name: string;
  heapPercent: number;
  /** Of its file system; undefined if it is not reported. */
  diskPercent?: number;
  /** Writes and searches that it refused since its start. */
  rejected: number;
}

/** The state of a cluster of Elasticsearch or OpenSearch. */
export interface ClusterState {
  health: z.infer<typeof health>;
  /** ms until the first answer. */
  answerMs: number;
  members: readonly ClusterMember[];
  /** Writes and searches that were refused between two readings. */
  rejected: number;
  /** Why one of the shards is unassigned; absent if all are assigned. */
  unassigned?: { index: string; isPrimary: boolean; why: string };
  requests: number;
}

const STATS = [
  'nodes.*.name',
  'nodes.*.jvm.mem.heap_used_percent',
  'nodes.*.fs.total.total_in_bytes',
  'nodes.*.fs.total.available_in_bytes',
  'nodes.*.thread_pool.write.rejected',
  'nodes.*.thread_pool.search.rejected',
].join(',');
/** ms between the two readings of refused requests. */
const INTERVAL_MS = 1_000;
/** If no shard is unassigned, the request for one is invalid. */
const NOTHING_TO_EXPLAIN = 400;

/**
 * Reads the state of a cluster over one connection, at most four requests. It needs the privilege
 * `monitor`. https://www.elastic.co/docs/api/doc/elasticsearch/group/endpoint-cluster
 * @throws SourceError; the signal's reason
 */
export async function readClusterState(
  given: SourceServer,
  signal: AbortSignal,
  intervalMs = INTERVAL_MS,
): Promise<ClusterState> {
  return withConnection(given, async (server) => {
    let requests = 0;
    const ask = async <Value>(schema: z.ZodType<Value>, question: SourceQuestion) => {
      requests += 1;
      const parsed = schema.safeParse(await askSource(server, question, signal));
      if (parsed.success) return parsed.data;
      throw new SourceError('failed', NOT_ELASTICSEARCH);
    };
    const members = async () => {
      const path = `/_nodes/stats/jvm,fs,thread_pool?filter_path=${STATS}`;
      const { nodes } = await ask(stats, { path });
      const parsed = z.array(member).safeParse(Object.values(nodes).slice(0, MOST_MEMBERS));
      if (parsed.success) return parsed.data.map(memberOf);
      throw new SourceError('failed', NOT_ELASTICSEARCH);
    };
    const started = performance.now();
    const found = await ask(health, { path: '/_cluster/health' });
    const answerMs = performance.now() - started;
    const before = await members();
    const explained =
      found.unassigned_shards === 0
        ? undefined
        : await ask(explanation, {
            path: '/_cluster/allocation/explain',
            answerStatus: NOTHING_TO_EXPLAIN,
          });
    await pause(intervalMs, signal);
    const after = await members();
    const all = (each: readonly ClusterMember[]) =>
      each.reduce((sum, { rejected }) => sum + rejected, 0);
    return {
      health: found,
      answerMs,
      members: after,
      requests,
      rejected: Math.max(0, all(after) - all(before)),
      ...(explained &&
        explained.index !== '' && {
          unassigned: {
            index: explained.index,
            isPrimary: explained.primary,
            why: explained.allocate_explanation || (explained.unassigned_info?.reason ?? ''),
          },
        }),
    };
  });
}

const MOST_MEMBERS = 200;
const NOT_ELASTICSEARCH = 'the answer is not of the API of Elasticsearch';

function memberOf({ name, jvm, fs, thread_pool: pools }: z.infer<typeof member>): ClusterMember {
  const { total_in_bytes: total = 0, available_in_bytes: free = 0 } = fs?.total ?? {};
  return {
    name,
    heapPercent: jvm?.mem.heap_used_percent ?? 0,
    ...(total > 0 && { diskPercent: Math.round((100 * (total - free)) / total) }),
    rejected: (pools?.write?.rejected ?? 0) + (pools?.search?.rejected ?? 0),
  };
}

import { z } from 'zod';
import { askSource, type SourceQuestion } from '../http/source-client.js';
import { withConnection } from '../http/source-connection.js';
import { SourceError } from '../http/source-error.js';
import type { SourceServer } from '../http/source-server.js';

/** Maximum queues and connections that are read, those with most messages first. */
const PAGE = 500;
const text = z.string().transform((value) => value.slice(0, 200));
const count = z.number().nonnegative().catch(0);

const overview = z.object({
  rabbitmq_version: text,
  object_totals: z.object({ queues: count }).optional().catch(undefined),
});
const check = z.object({
  status: z.enum(['ok', 'failed']),
  reason: text.optional(),
  alarms: z
    .array(z.object({ node: text, resource: text }))
    .max(1_000)
    .default([]),
});
const times = z.array(text).max(100).default([]);
const certificates = check.extend({
  expired: z
    .array(
      z.object({
        node: text.default(''),
        port: z.number().optional(),
        certfile_expires_on: times,
        cacertfile_expires_on: times,
      }),
    )
    .max(1_000)
    .default([]),
});
const broker = z.object({
  name: text,
  running: z.boolean(),
  mem_used: count,
  mem_limit: count,
  fd_used: count,
  fd_total: count,
  sockets_used: count,
  sockets_total: count,
  partitions: z.array(text).max(1_000).default([]),
});
const rate = z.object({ avg_rate: z.number().catch(0) });
const queue = z.object({
  name: text,
  vhost: text,
  state: text.default(''),
  // Absent until its statistics come, five seconds after it was declared.
  messages_ready: count.optional(),
  messages_unacknowledged: count.optional(),
  consumers: count.optional(),
  // Of the last minute, a second.
  messages_details: rate.optional(),
  message_stats: z.object({ publish_details: rate.optional() }).optional(),
});
const connection = z.object({
  name: text.default(''),
  user: text.default(''),
  state: text.default(''),
});
const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ total_count: count, items: z.array(item).max(PAGE) });

export type RabbitBroker = z.infer<typeof broker>;
export type RabbitQueue = z.infer<typeof queue>;

/** The state of a RabbitMQ cluster from its management API. */
export interface RabbitReading {
  version: string;
  /** ms until the first answer. */
  answerMs: number;
  /** Resources whose alarm blocks all publishers. */
  alarms: readonly { node: string; resource: string }[];
  /**
   * Why the loss of a broker would stop queues, or a virtual host is down; empty if neither is the
   * case.
   */
  failed: readonly string[];
  /**
   * Listeners with a certificate that expires within a month, or has expired, and when: `2026-12-06
   * 7:01:04`, UTC.
   */
  certificates: readonly { node: string; port: number | undefined; endsAt: string }[];
  brokers: readonly RabbitBroker[];
  /** Those with most messages; `queueCount` may be more. */
  queues: readonly RabbitQueue[];
  queueCount: number;
  /** Queues of virtual hosts that the user may not look into. */
  hiddenQueues: number;
  connectionCount: number;
  /** Connections that may not publish at present. */
  blocked: readonly { name: string; user: string }[];
  requests: number;
}

/** Why queues are not seen, and the right that would show them. */
export const hiddenQueuesText = (hidden: number, seen: number): string =>
  `The user may look into ${seen} of ${hidden + seen} queues: it needs a permission on the virtual hosts of the others, also one that allows nothing (rabbitmqctl set_permissions -p VHOST USER '^$' '^$' '^$').`;

/** States which right is missing, for a user with other rights. */
async function withRight<Answer>(answer: Promise<Answer>, missing: string): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof SourceError) || error.failure !== 'refused') throw error;
    throw new SourceError('refused', `${error.message}. ${missing}`, error.options);
  }
}

/** @returns undefined if it does not exist */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof SourceError) || error.status !== 404) throw error;
}

const WITHOUT_TAG = 'The user lacks the tag monitoring (rabbitmqctl set_user_tags USER monitoring)';

const withoutPermission = (vhost: string): string =>
  `The user has no permission on the virtual host ${vhost}; one that allows nothing will do (rabbitmqctl set_permissions -p VHOST USER '^$' '^$' '^$')`;

/**
 * Reads the management API (https://www.rabbitmq.com/docs/http-api-reference) over one connection,
 * at most ten requests.
 * @param vhost whose queues are read; absent: all that the user may see
 * @returns undefined if there is no such virtual host
 * @throws SourceError; the signal's reason
 */
export async function readRabbitmq(
  given: SourceServer,
  vhost: string | undefined,
  signal: AbortSignal,
): Promise<RabbitReading | undefined> {
  return withConnection(given, async (server) => {
    let requests = 0;
    const ask = async <Value>(schema: z.ZodType<Value>, question: SourceQuestion) => {
      requests += 1;
      const parsed = schema.safeParse(await askSource(server, question, signal));
      if (parsed.success) return parsed.data;
      throw new SourceError('failed', 'the answer is not of the management API of RabbitMQ');
    };
    const started = performance.now();
    const askOverview = () => ask(overview, { path: `/api/overview?${TOTALS}` });
    const { rabbitmq_version: version, object_totals: before } = await askOverview();
    const answerMs = performance.now() - started;
    // The figures of the brokers lag by seconds: only the check reports an alarm immediately.
    const { alarms } = await ask(check, checkOf('alarms'));
    const checks = [
      await ask(check, checkOf('node-is-quorum-critical')),
      await ask(check, checkOf('virtual-hosts')),
    ];
    const { expired } = await ask(certificates, checkOf('certificate-expiration/1/months'));
    const brokers = await withRight(
      ask(z.array(broker).max(1_000), { path: `/api/nodes?${BROKER}` }),
      WITHOUT_TAG,
    );
    const askQueues = (of: string) => ask(pageOf(queue), { path: `/api/queues${of}?${QUEUE}` });
    const queues =
      vhost === undefined
        ? await askQueues('')
        : await withRight(
            askQueues(`/${encodeURIComponent(vhost)}`).catch(unlessMissing),
            withoutPermission(vhost),
          );
    if (queues === undefined) return undefined;
    const connections = await ask(pageOf(connection), { path: `/api/connections?${CONNECTION}` });
    // The totals are of all virtual hosts. Queues are created and deleted: a hidden queue is
    // missing from the list both before and after.
    const missing = (totals: typeof before) =>
      Math.max(0, (totals?.queues ?? 0) - queues.total_count);
    const mayHide = vhost === undefined && missing(before) > 0;
    const after = mayHide ? (await askOverview()).object_totals : undefined;
    return {
      version,
      answerMs,
      alarms,
      brokers,
      requests,
      certificates: expired.map(listenerIn),
      failed: checks.flatMap(({ status, reason = '' }) => (status === 'failed' ? [reason] : [])),
      queues: queues.items,
      queueCount: queues.total_count,
      hiddenQueues: Math.min(missing(before), missing(after)),
      connectionCount: connections.total_count,
      blocked: connections.items.filter(({ state }) => state === 'blocked' || state === 'blocking'),
    };
  });
}

/**
 * The number of queues, and of those that the user may not see: two requests.
 * @throws SourceError; the signal's reason
 */
export async function countQueues(
  server: SourceServer,
  signal: AbortSignal,
): Promise<{ seen: number; hidden: number }> {
  const ask = async <Value>(schema: z.ZodType<Value>, path: string) =>
    schema.safeParse(await askSource(server, { path }, signal)).data;
  const all = await ask(overview, `/api/overview?${TOTALS}`);
  const list = await ask(pageOf(z.unknown()), '/api/queues?page=1&page_size=1&columns=name');
  const seen = list?.total_count ?? 0;
  return { seen, hidden: Math.max(0, (all?.object_totals?.queues ?? 0) - seen) };
}

/** The certificate of a listener, or of its authority, that expires first. */
function listenerIn(given: z.infer<typeof certificates>['expired'][number]) {
  const { node, port, certfile_expires_on: own, cacertfile_expires_on: of } = given;
  const [endsAt = ''] = [...own, ...of].toSorted((a, b) => Date.parse(a) - Date.parse(b));
  return { node, port, endsAt };
}

/** A check that fails answers 503, with the reason. */
const checkOf = (name: string): SourceQuestion => ({
  path: `/api/health/checks/${name}`,
  answerStatus: 503,
});

const columns = (...names: string[]) => `columns=${names.join(',')}`;
const TOTALS = columns('rabbitmq_version', 'object_totals.queues');
const BROKER = columns(
  ...['name', 'running', 'mem_used', 'mem_limit', 'fd_used', 'fd_total'],
  ...['sockets_used', 'sockets_total', 'partitions'],
);
/**
 * Rates over a minute: those of the moment are of the last five seconds, and that of the length is
 * often missing.
 */
const MINUTE = 'lengths_age=60&lengths_incr=5&msg_rates_age=60&msg_rates_incr=5';
const QUEUE = `page=1&page_size=${PAGE}&sort=messages&sort_reverse=true&${MINUTE}&${columns(
  ...['name', 'vhost', 'state', 'messages_ready', 'messages_unacknowledged', 'consumers'],
  ...['messages_details.avg_rate', 'message_stats.publish_details.avg_rate'],
)}`;
const CONNECTION = `page=1&page_size=${PAGE}&${columns('name', 'user', 'state')}`;

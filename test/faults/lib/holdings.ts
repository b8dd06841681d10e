import type { Redis } from 'ioredis';
import type { NodeProcess } from './cluster.js';
import type { Vitals } from './vitals.js';

/** What processes and Redis hold on to. Where no run is open, it should be the same at any time. */
export interface Holdings {
  processes: { role: string; vitals: Vitals }[];
  /** Connections that Redis has, by their names. */
  connections: Record<string, number>;
  /** Channels that somebody listens on. */
  channels: string[];
}

/** @param thoroughly those that look through their heaps, too; see Vitals */
export async function takeHoldings(
  nodes: readonly NodeProcess[],
  store: Redis,
  thoroughly: readonly NodeProcess[] = [],
): Promise<Holdings> {
  const processes: Holdings['processes'] = [];
  // One after another: each needs a whole core for a moment.
  for (const node of nodes) {
    const vitals = await node.vitals(thoroughly.includes(node));
    if (vitals) processes.push({ role: node.role, vitals });
  }
  const connections: Record<string, number> = {};
  for (const [, name = ''] of String(await store.client('LIST')).matchAll(/ name=(\S*)/g))
    connections[name] = (connections[name] ?? 0) + 1;
  return { processes, connections, channels: (await store.pubsub('CHANNELS', '*')) as string[] };
}

/**
 * How many more there may be than at first, where not one run was begun: what is made when it is
 * first needed, and timers and caches of the libraries. What stays behind of each run, of each lost
 * process or of each outage is many more than that.
 */
const MORE = { handles: 8, objects: 40, mb: 24 };

/** @returns what is left of what has ended; empty: nothing */
export function judgeHoldings(before: Holdings, after: Holdings): string[] {
  const problems = after.processes.flatMap(({ role, vitals }) => {
    const first = before.processes
      .filter((process) => process.role === role)
      .map((process) => counts(process.vitals));
    return Object.entries(counts(vitals)).flatMap(([what, { count, more }]) => {
      const most = Math.max(0, ...first.map((each) => each[what]?.count ?? 0));
      return count > most + more
        ? [`the ${role} process holds ${count} ${what}, and ${most} when no run had begun`]
        : [];
    });
  });
  for (const [name, count] of Object.entries(after.connections)) {
    const first = before.connections[name] ?? 0;
    // Each process may have made one more when it first needed it.
    if (count > first + before.processes.length)
      problems.push(
        `Redis has ${count} connections named "${name}", and ${first} when no run had begun`,
      );
  }
  const channels = after.channels.filter((channel) => !before.channels.includes(channel));
  if (channels.length > 0)
    problems.push(
      `somebody listens on ${channels.length} channels still: ${channels.slice(0, 3).join(', ')}`,
    );
  return problems;
}

/** A line for each process, and one for Redis. */
export function describeHoldings({ processes, connections, channels }: Holdings): string[] {
  const list = (vitals: Vitals) =>
    Object.entries(counts(vitals))
      .map(([what, { count }]) => `${count} ${what}`)
      .join(', ');
  const connected = Object.values(connections).reduce((sum, count) => sum + count, 0);
  return [
    ...processes.map(({ role, vitals }) => `${role}: ${list(vitals)}`),
    `Redis: ${connected} connections, ${channels.length} channels`,
  ];
}

function counts(vitals: Vitals): Record<string, { count: number; more: number }> {
  const { handles, emitters, emitterListeners, targets, heapMb, externalMb } = vitals;
  const objects = {
    emitters,
    'listeners on emitters': emitterListeners,
    ...(targets && { signals: targets.signals, 'listeners on signals': targets.listeners }),
  };
  const each = (of: Record<string, number>, more: number) =>
    Object.entries(of).map(([what, count]) => [what, { count, more }] as const);
  return Object.fromEntries([
    ...each(handles, MORE.handles),
    ...each(objects, MORE.objects),
    ...each({ 'MB of heap': heapMb, 'MB of buffers': externalMb }, MORE.mb),
  ]);
}

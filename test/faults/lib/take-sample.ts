import { readFileSync } from 'node:fs';
import { leftKeys, type RunHistory } from './check-history.js';
import type { Cluster, NodeProcess } from './cluster.js';
import type { Sample } from './gauges.js';
import type { Vitals } from './vitals.js';

/** A run that has ended so long ago has left nothing behind that is not kept. */
const WIND_DOWN_MS = 15_000;

export interface Moment {
  cluster: Cluster;
  /** Processes that live through all of it, one of each role. */
  spared: readonly NodeProcess[];
  runs: readonly RunHistory[];
  /** When runs have ended, ms. */
  endedAt: ReadonlyMap<string, number>;
}

export async function takeSample({ cluster, spared, runs, endedAt }: Moment): Promise<Sample> {
  const sample: Sample = {
    runs: endedAt.size,
    memory: {},
    counts: {},
    keys: await cluster.store.dbsize(),
  };
  for (const process of spared) {
    sample.memory[`${process.role} resident`] = residentMb(process.pid);
    const vitals = await process.vitals(false);
    if (!vitals) throw new Error(`the ${process.role} process that is to be spared has ended`);
    addVitals(sample, process.role, vitals);
  }
  sample.counts['stray keys'] = await countStrays(cluster, runs, endedAt);
  return sample;
}

function addVitals({ memory, counts }: Sample, role: string, vitals: Vitals): void {
  memory[`${role} heap`] = vitals.heapMb;
  memory[`${role} buffers`] = vitals.externalMb;
  counts[`${role} handles`] = Object.values(vitals.handles).reduce((sum, count) => sum + count, 0);
  counts[`${role} listeners`] = vitals.emitterListeners;
}

async function countStrays(
  { store, prefix }: Cluster,
  runs: Moment['runs'],
  endedAt: Moment['endedAt'],
): Promise<number> {
  const past = Date.now() - WIND_DOWN_MS;
  const over = new Set([...endedAt].flatMap(([runId, at]) => (at < past ? [runId] : [])));
  const early = new Set(
    runs
      .filter(({ seen }) => !seen.includes('event: lifecycle.completed'))
      .map(({ runId }) => runId),
  );
  const left = await leftKeys(store, prefix, early);
  const runOf = (key: string) =>
    /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(key.replaceAll(prefix, ''))?.[0] ?? '';
  return left.filter((key) => over.has(runOf(key))).length;
}

/** MB that a process holds. Linux only: 0 elsewhere. */
function residentMb(pid: number): number {
  try {
    return Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024,
    );
  } catch {
    return 0;
  }
}

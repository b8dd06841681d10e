import { randomUUID } from 'node:crypto';
import { closedPort } from '../support/loopback.js';
import { healthy, httpTarget } from '../support/processes/target.js';
import { topologyOf } from '../support/incidents/topology.js';
import { outcomeOf, type RunOutcome } from './outcome.js';
import { ServiceGroup } from './service-group.js';

const NODES = 500;
const TEAM = 25;
const RUNS = 12;
/** Runs at once may use this much more processor time than one after the other. */
const MOST_RATIO = 1.3;
const CHAIN = 1_000;

const LIMITS = { timeoutSeconds: 3_600 };

async function timed(
  group: ServiceGroup,
  topologyId: number,
): Promise<RunOutcome & { ms: number }> {
  const started = performance.now();
  const body = { topologyId, userMessage: 'Is anything wrong?', limits: LIMITS };
  const runId = await group.client.trigger(body, randomUUID());
  let log = '';
  await group.client.follow(runId, (seen) => (log = seen));
  return { ...outcomeOf(log), ms: performance.now() - started };
}

/**
 * Twelve runs of 500 nodes at once must complete, and use at most 1.3 times the processor time that
 * they use one after the other. Unlike the time that passes, it does not depend on what else the
 * machine does.
 */
export async function largeRuns(say: (line: string) => void): Promise<string[]> {
  const group = await ServiceGroup.start(['api', 'worker', 'worker']);
  try {
    const target = await httpTarget(group.targets, healthy);
    const nodes = Array.from({ length: NODES }, (_, i) => [
      `n${i}`,
      { endpoint: target.endpoint, attributes: { team: `team ${Math.floor(i / TEAM)}` } },
    ]);
    const topology = { ...topologyOf(Object.fromEntries(nodes) as object as never), id: 1 };
    await group.client.createTopology(topology);
    // The first one warms up.
    await timed(group, 1);
    const used = [await group.processorSeconds()];
    const started = performance.now();
    const alone = [await timed(group, 1), await timed(group, 1)];
    const began = performance.now();
    used.push(await group.processorSeconds());
    const all = await Promise.all(Array.from({ length: RUNS }, () => timed(group, 1)));
    const ended = performance.now();
    used.push(await group.processorSeconds());
    const [before = 0, between = 0, after = 0] = used;
    const one = (between - before) / alone.length;
    const together = (after - between) / RUNS;
    const ratio = together / one;
    say(
      `one run of ${NODES} nodes: ${one.toFixed(1)} s of processor time, in ${seconds((began - started) / alone.length)}`,
    );
    say(
      `${RUNS} at once: ${together.toFixed(1)} s of processor time each, ${ratio.toFixed(2)} times as much, in ${seconds(ended - began)}; memory ${(await group.memory()).join(', ')} MB`,
    );
    const problems = [...alone, ...all].flatMap(({ problems: found }) => found);
    if (ratio > MOST_RATIO) problems.push(`${ratio.toFixed(2)} is more than ${MOST_RATIO}`);
    return problems;
  } finally {
    await group.close();
  }
}

/**
 * A chain of 1,000 dead nodes ends with its root cause: the last one, which all others depend on.
 */
export async function deadChain(say: (line: string) => void): Promise<string[]> {
  const group = await ServiceGroup.start(['api', 'worker', 'worker']);
  try {
    const endpoint = `http://127.0.0.1:${await closedPort()}`;
    const nodes = Array.from({ length: CHAIN }, (_, i) => [
      `n${i}`,
      {
        endpoint,
        attributes: { team: `team ${Math.floor(i / TEAM)}` },
        ...(i + 1 < CHAIN && { dependsOn: [`n${i + 1}`] }),
      },
    ]);
    const topology = { ...topologyOf(Object.fromEntries(nodes) as object as never), id: 1 };
    await group.client.createTopology(topology);
    const { ms, problems, rootCauses } = await timed(group, 1);
    say(`a chain of ${CHAIN} dead nodes: ${seconds(ms)}, root causes ${rootCauses.join(', ')}`);
    if (rootCauses.length !== 1 || rootCauses[0] !== `n${CHAIN - 1}`)
      problems.push(`the root cause is n${CHAIN - 1}`);
    return problems;
  } finally {
    await group.close();
  }
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

import { nodesNamedIn } from './alert-subject.js';
import type { Observations, Trouble } from './observations.js';

/** A node, and how much speaks for it having failed first. */
export interface FailingNode {
  node: string;
  score: number;
  /** When it first showed trouble. */
  since?: number;
  for: string[];
  against: string[];
}

const FIRST_MS = 120_000;
const NOT_TOLD = Infinity;
/** Characters of an error in which nodes are looked for. */
const LOOKED_AT = 4_000;

/**
 * Which node failed first: by what moved, new errors, failed spans with no failed span below, who is named in the errors of others,
 * and when. Being slow or refused at the far end is what a victim reports: the named node is blamed, the speaker cleared.
 */
export function rankFailingNodes(seen: Observations, trouble: Trouble): FailingNode[] {
  const found = new Map<string, FailingNode>(
    seen.nodes.map(({ id }) => [id, { node: id, score: 0, for: [], against: [] }]),
  );
  const ids = seen.nodes.map(({ id }) => id);
  const since = new Map<string, number>();
  const see = (node: string | undefined, at: number) => {
    if (node !== undefined) since.set(node, Math.min(since.get(node) ?? NOT_TOLD, at));
  };
  const add = (node: string | undefined, score: number, says: string) => {
    const known = found.get(node ?? '');
    if (known === undefined) return;
    known.score += score;
    const list = score > 0 ? known.for : known.against;
    if (list.length < 8 && !list.includes(says)) list.push(says);
  };
  for (const { node, name, onset } of trouble.moved) {
    see(node, onset.at);
    add(
      node,
      Math.min(1, Math.log10(1 + onset.deviations) / 3),
      `${name} left its usual band at ${clock(onset.at)}`,
    );
  }
  const complaints = trouble.appeared.filter(({ error, warning }) => error || warning);
  for (const { node, error, first, sample } of complaints) {
    see(node, first);
    add(
      node,
      error ? 1 : 0.6,
      `new ${error ? 'error' : 'warning'} since ${clock(first)}: ${sample.body.slice(0, 160)}`,
    );
  }
  judgeSpans(seen, trouble, see, add);
  for (const { node, sample } of complaints) {
    for (const id of nodesNamedIn(sample.body.slice(0, LOOKED_AT), ids)) {
      if (id === node) continue;
      add(id, 1.2, `${node ?? 'another node'} names it in an error: ${sample.body.slice(0, 160)}`);
      add(node, -0.5, `its errors name ${id}`);
    }
    if (/upstream|downstream (call|dependency)|from upstream/i.test(sample.body))
      add(node, -0.4, 'its errors are about what it calls');
  }
  add(trouble.alertNode, 1, 'the alert is about it');
  const earliest = Math.min(...since.values());
  for (const [node, at] of since) {
    const lead = 0.8 * Math.exp(-(at - earliest) / FIRST_MS);
    add(
      node,
      lead,
      at === earliest
        ? `it shows trouble first, at ${clock(at)}`
        : `it shows trouble at ${clock(at)}`,
    );
  }
  return [...found.values()]
    .filter(({ score }) => score > 0)
    .map((each) => ({
      ...each,
      ...(since.has(each.node) && { since: since.get(each.node) as number }),
    }))
    .sort((a, b) => b.score - a.score);
}

const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);

function judgeSpans(
  { spans }: Observations,
  { failedSpans }: Trouble,
  see: (node: string | undefined, at: number) => void,
  add: (node: string | undefined, score: number, says: string) => void,
): void {
  const failedBelow = new Set(
    spans
      .filter(({ error, parentId }) => error !== undefined && parentId !== undefined)
      .map(({ traceId, parentId }) => `${traceId}/${parentId}`),
  );
  for (const { node, traceId, spanId, start, name } of failedSpans) {
    see(node, start);
    const passedOn = failedBelow.has(`${traceId}/${spanId}`);
    add(
      node,
      passedOn ? 0.1 : 0.8,
      passedOn ? `${name} fails with a call below it` : `${name} fails, and nothing below it does`,
    );
  }
}

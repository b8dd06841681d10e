import { z } from 'zod';
import type { IncidentFrame, TimeWindow } from '../domain/telemetry/records.js';
import type { TopologyNode, TopologySource } from '../domain/topology/topology.js';
import type { SourceAnswer } from '../sources/ports.js';
import type { InspectedKind, SelectedServer, SourceSet } from '../sources/source-set.js';
import { clip } from '../lib/text.js';
import { SourceError } from '../sources/http/source-error.js';
import type { ToolResult } from '../domain/diagnosis/tool-result.js';
import { clean } from './net/endpoint.js';
import type { ToolContext } from './tool.js';

/** The shared code of tools that read telemetry. */

/** `-1h`, `-30m`, `now`, or RFC 3339. */
const RELATIVE = /^-(\d{1,6})(s|m|h|d)$/;
const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const timeArgument = z
  .string()
  .max(40)
  .refine(
    (text) => text === 'now' || RELATIVE.test(text) || !Number.isNaN(Date.parse(text)),
    'must be now, -30m, -1h, or an RFC 3339 time',
  );

/** A relative time counts from the `now` of the sources, which is in the past for a recording. */
function timeOf(text: string, { now }: IncidentFrame): number {
  if (text === 'now') return now;
  const [, count, unit] = RELATIVE.exec(text) ?? [];
  return count === undefined ? Date.parse(text) : now - Number(count) * UNIT_MS[unit as 's'];
}

/** The requested window; by default everything that is read for a diagnosis. */
export const windowOf = (
  { from, to }: { from?: string; to?: string },
  frame: IncidentFrame,
): TimeWindow => ({
  from: from === undefined ? frame.start : timeOf(from, frame),
  to: to === undefined ? frame.now : timeOf(to, frame),
});

/** @throws if the topology names no sources */
export function sourcesOf({ sources }: ToolContext): SourceSet {
  if (sources === undefined) throw new Error('this topology names no sources of telemetry');
  return sources;
}

/** Whether a node selects its part of a source of this kind. */
export const selectsFrom = (
  node: TopologyNode,
  kind: TopologySource['kind'],
  sources: readonly TopologySource[] = [],
): boolean => sources.some((each) => each.kind === kind && node.in?.[each.id] !== undefined);

/** The listed server of this kind that the node selects from. @throws if it selects from none */
export function selectedServer(context: ToolContext, kind: InspectedKind): SelectedServer {
  const found = sourcesOf(context).httpOf?.(context.node, kind);
  if (found === undefined)
    throw new Error(`${context.node.id} selects from no source of kind ${kind}`);
  return found;
}

/** Records of an answer. */
interface RecordsPage<Item> {
  items: Item[];
  more: boolean;
  /** Why other records could not be read. */
  unread?: SourceError;
}

/** All records of an answer, up to a maximum; undefined if nothing was recorded. */
export async function take<Item>(
  answer: SourceAnswer<Item>,
  most: number,
): Promise<RecordsPage<Item> | undefined> {
  if (answer.kind === 'not_recorded') return undefined;
  const items: Item[] = [];
  try {
    for await (const item of answer.records) {
      if (items.length === most) return { items, more: true };
      items.push(item);
    }
  } catch (error) {
    if (!(error instanceof SourceError) || items.length === 0) throw error;
    return { items, more: false, unread: error };
  }
  return { items, more: false };
}

const MOST_UNREAD = 300;

/** A result of the records, which names those that could not be read. */
export function withUnread(
  result: ToolResult,
  unread: SourceError | undefined,
  node: TopologyNode,
): ToolResult {
  if (unread === undefined) return result;
  const why = clean(unread.message, node, MOST_UNREAD);
  return {
    ...result,
    summary: `${result.summary}; not read: ${why}`,
    measurements: { ...result.measurements, unread: why },
  };
}

export const isoTime = (at: number): string => new Date(at).toISOString();

/** The node's selections in its sources, which may be wrong if nothing was found. */
export const selectedText = ({ in: by = {} }: Pick<TopologyNode, 'in'>): string => {
  const selected = Object.entries(by).map(([source, selector]) => `${source}: ${selector}`);
  return selected.length === 0 ? '' : ` (it selects ${clip(selected.join('; '), 300)})`;
};

import type { Observations } from '../domain/engine/observations.js';
import { observe } from '../sources/observe.js';
import type { SourceSet } from '../sources/source-set.js';
import { sourcesOf } from './telemetry.js';
import type { ToolContext } from './tool.js';

/** Observations that are held, the latest ones: each may be large. */
const MOST_HELD = 2;

const held = new Map<SourceSet, Promise<Observations>>();

/** What the sources of the topology show, read once for all tools of a diagnosis. */
export function observed(context: ToolContext): Promise<Observations> {
  const sources = sourcesOf(context);
  const known = held.get(sources);
  held.delete(sources);
  // The signal of one call must not end the reading for the others: it is bounded by itself.
  const reading = known ?? observe(sources, context.nodes, new AbortController().signal);
  held.set(sources, reading);
  reading.catch(() => held.delete(sources));
  const [oldest] = held.keys();
  if (held.size > MOST_HELD && oldest !== undefined) held.delete(oldest);
  return reading;
}

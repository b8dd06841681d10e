import { z } from 'zod';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { eventTime } from '../../domain/kubernetes/event-time.js';
import { keyOfSubject } from '../../domain/kubernetes/workload.js';
import { numberOf, textOf } from '../../domain/kubernetes/fields.js';
import { providesOf } from '../../domain/topology/recorded.js';
import { SourceError } from '../../sources/http/source-error.js';
import { nodeArgument } from '../arguments.js';
import { readObjects } from '../kubernetes-check/read-objects.js';
import { clean } from '../net/endpoint.js';
import { toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';

const SHOWN = 40;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/** The events of a node's objects in order of time, latest first. */
export const kubernetesEvents: Tool<Args> = {
  name: 'kubernetes_events',
  access: 'read',
  measures: () => 'records',
  repeatable: true,
  holds: 48 * 2 ** 20,
  onDemand: () => true,
  args,
  appliesTo: (node, sources) => providesOf(node, sources, 'kubernetes'),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node } = context;
  const { lists, subject, keys, events: read } = await readObjects(context);
  if (lists.refused.includes('Event'))
    throw new SourceError('refused', 'the credential may not list events');
  const events = read
    .map((each) => ({ at: eventTime(each.object), about: keyOfSubject(each), object: each.object }))
    .toSorted((a, b) => b.at.localeCompare(a.at));
  if (keys.size === 0)
    return toolResult(
      `no Kubernetes objects of ${subject.text} were read`,
      { recorded: false },
      [],
    );
  const warnings = events.filter(({ object }) => object['type'] === 'Warning').length;
  const measurements = {
    recorded: true,
    events: events.slice(0, SHOWN).map(({ at, about, object }) => ({
      at,
      type: textOf(object['type']),
      reason: clean(textOf(object['reason']), node, 80),
      object: about,
      message: clean(textOf(object['message']) || textOf(object['note']), node, 240),
      count: Math.max(1, numberOf(object['count'])),
    })),
    left_off: Math.max(0, events.length - SHOWN),
  };
  return toolResult(`${events.length} events, ${warnings} of them warnings`, measurements, []);
}

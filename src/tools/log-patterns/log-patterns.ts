import { z } from 'zod';
import { providesOf } from '../../domain/topology/recorded.js';
import { isGone, isNew, templateText, type LogTemplate } from '../../engine/logs/log-templates.js';
import { nodesNamedInLine } from '../../engine/logs/named-in-line.js';
import { quoteLine } from '../../engine/logs/said-in-line.js';
import { quietUntilOf } from '../../domain/telemetry/records.js';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { observed, recordingRead } from '../observed.js';
import { toolResult } from '../result.js';
import { isoTime, selectedText, withUnread } from '../telemetry.js';
import type { Tool, ToolContext } from '../tool.js';

const SHOWN = 10;
const TEXT = 300;

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/** Kinds of log lines of a node: new, disappeared and surging ones. */
export const logPatterns: Tool<Args> = {
  name: 'log_patterns',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  args,
  appliesTo: (node, sources) => providesOf(node, sources, 'logs'),
  argsFor: (node) => ({ node: node.id }),
  ready: recordingRead,
  run,
};

async function run({ node }: Args, context: ToolContext): Promise<ToolResult> {
  const { templates, patterns, frame, unread } = await observed(context, 'logs');
  const own = templates.filter((template) => template.node === node);
  const counted = patterns.filter((pattern) => pattern.node === node);
  if (own.length + counted.length === 0)
    return toolResult(
      `no logs of ${node} were found${selectedText(context.node)}`,
      { recorded: false },
      [],
    );
  const quietUntil = quietUntilOf(frame);
  const appeared = own.filter((template) => isNew(template, quietUntil)).sort(worstFirst);
  const gone = own.filter((template) => isGone(template, frame.reportedAt ?? frame.now));
  const surging = counted.filter(({ delta, count }) => delta > 0 && delta >= 0.5 * count);
  const measurements = {
    recorded: true,
    pattern_count: own.length,
    new: appeared.slice(0, SHOWN).map(describe),
    gone: gone.slice(0, SHOWN).map(describe),
    surging: surging
      .slice(0, SHOWN)
      .map(({ pattern, count, delta }) => ({ pattern: pattern.slice(0, TEXT), count, delta })),
    left_off: Math.max(0, appeared.length - SHOWN) + Math.max(0, gone.length - SHOWN),
  };
  const errors = appeared.filter(({ error }) => error).length;
  const plural = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
  const summary = `${plural(own.length, 'pattern')}: ${appeared.length} new (${plural(errors, 'error')}), ${gone.length} gone, ${surging.length} surging`;
  const result = toolResult(
    summary,
    measurements,
    appeared
      .filter(({ error, warning }) => error || warning)
      .slice(0, 3)
      .map((template) => toIssue(template, namedBy(template, context))),
  );
  return withUnread(result, unread, context.node);
}

const worstFirst = (a: LogTemplate, b: LogTemplate): number =>
  Number(b.error) - Number(a.error) || Number(b.warning) - Number(a.warning) || b.count - a.count;

const describe = (template: LogTemplate) => ({
  pattern: templateText(template).slice(0, TEXT),
  sample: template.sample.body.slice(0, TEXT),
  error: template.error,
  count: template.count,
  first: isoTime(template.first),
  last: isoTime(template.last),
});

/** Other nodes that a line names, such as the upstream that a proxy could not reach. */
const namedBy = ({ sample }: LogTemplate, { node, nodes }: ToolContext): string[] =>
  nodesNamedInLine(sample.body, nodes).filter((id) => id !== node.id);

const timesOf = ({ count, first, last }: LogTemplate): string =>
  count === 1
    ? `once since ${isoTime(first)}`
    : `${count} times since ${isoTime(first)}, last at ${isoTime(last)}`;

const toIssue = (template: LogTemplate, named: string[]): Issue => ({
  severity: 'info',
  symptom: 'advisory',
  title: `new ${template.error ? 'error' : 'warning'} in its logs: ${quoteLine(template.sample.body, 160)}`,
  detail: `Seen ${timesOf(template)}, and not before.${named.length > 0 ? ` It names ${named.slice(0, 5).join(', ')}.` : ''}`,
});

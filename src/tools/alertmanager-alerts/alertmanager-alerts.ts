import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import { kindOfText } from '../../domain/failure-texts/kind-of-text.js';
import { isRecorded } from '../../domain/topology/recorded.js';
import {
  type AlertmanagerAlert,
  readAlerts,
  type Silence,
} from '../../sources/alertmanager/read-alerts.js';
import { nodeArgument } from '../arguments.js';
import { clean } from '../net/endpoint.js';
import { toolResult, worstIssues } from '../result.js';
import { selectedServer, selectsFrom } from '../telemetry.js';
import { ofSource } from '../served-fault.js';
import type { Tool, ToolContext } from '../tool.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Alerts about a node at an Alertmanager, and silences. If there is no alert, nothing was measured:
 * that does not check the node.
 */
export const alertmanagerAlerts: Tool<Args> = {
  name: 'alertmanager_alerts',
  access: 'read',
  measures: () => 'records',
  repeatable: true,
  holds: 8 * 2 ** 20,
  args,
  appliesTo: (node, sources) =>
    isRecorded(sources)
      ? node.attributes['alerts'] !== undefined
      : selectsFrom(node, 'alertmanager', sources),
  argsFor: (node) => ({ node: node.id }),
  run,
};

/** Alerts that always fire, to show that alerting works. */
const ALWAYS = new Set(['Watchdog', 'InfoInhibitor']);
const CRITICAL = new Set(['critical', 'page', 'error', 'emergency']);
const INFO = new Set(['info', 'none']);

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node, signal } = context;
  const { id, server, selector } = selectedServer(context, 'alertmanager');
  const reading = await readAlerts(server, selector, signal).catch((error: unknown) => {
    throw ofSource(id, error);
  });
  const own = reading.alerts
    .filter(({ labels }) => !ALWAYS.has(nameOf(labels)))
    .toSorted((a, b) => Number(isCritical(b)) - Number(isCritical(a)));
  const counted = (wanted: AlertmanagerAlert['status']['state']) =>
    own.filter(({ status }) => status.state === wanted).length;
  const { shown, leftOff } = worstIssues(
    alike(own.map((alert) => issueOf(alert, reading.silences))).map((issue) => ({
      ...issue,
      title: clean(issue.title, node, 200),
      detail: clean(issue.detail, node, 500),
    })),
  );
  const measurements = {
    alertmanager: new URL(server.endpoint).host,
    active: counted('active') + counted('unprocessed'),
    suppressed: counted('suppressed'),
    queries: reading.requests,
    issues_left_off: leftOff + reading.leftOff,
  };
  const summary =
    shown[0]?.title ?? 'no alert fires, which shows only that no rule of the operator is broken';
  return toolResult(summary, measurements, shown);
}

const severityOf = ({ labels }: AlertmanagerAlert): string =>
  (labels['severity'] ?? '').toLowerCase();
const isCritical = (alert: AlertmanagerAlert): boolean => CRITICAL.has(severityOf(alert));

const nameOf = (labels: AlertmanagerAlert['labels']): string =>
  (labels['alertname'] ?? '?').slice(0, 100);

/** Alerts of one name about several instances become one issue with a count. */
function alike(issues: readonly Issue[]): Issue[] {
  const byTitle = new Map<string, Issue[]>();
  for (const issue of issues) {
    const key = `${issue.severity} ${issue.title}`;
    byTitle.set(key, [...(byTitle.get(key) ?? []), issue]);
  }
  return [...byTitle.values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          others.length === 0
            ? first
            : { ...first, title: `${first.title} (${others.length + 1} times)` },
        ],
  );
}

function issueOf(alert: AlertmanagerAlert, silences: ReadonlyMap<string, Silence>): Issue {
  const { labels, annotations, startsAt, status } = alert;
  const name = nameOf(labels);
  const meaning = (annotations['summary'] ?? annotations['description'] ?? '').slice(0, 300);
  const since = `Since ${startsAt}; severity ${labels['severity'] ?? 'not given'}.`;
  const detail = meaning === '' ? since : `${meaning.replace(/\.?$/, '.')} ${since}`;
  if (status.state === 'suppressed') {
    const silence = silences.get(status.silencedBy[0] ?? '');
    const why = silence
      ? `Silenced until ${silence.endsAt} by ${silence.createdBy.slice(0, 100)}: ${silence.comment.slice(0, 200)}.`
      : status.silencedBy.length > 0
        ? 'It is silenced.'
        : 'Another firing alert inhibits it.';
    return {
      severity: 'info',
      symptom: 'advisory',
      title: `alert ${name} fires and is ${status.silencedBy.length > 0 ? 'silenced' : 'held back'}`,
      detail: `${why} ${detail}`,
    };
  }
  if (INFO.has(severityOf(alert)))
    return { severity: 'info', symptom: 'advisory', title: `alert ${name} fires`, detail };
  const said = kindOfText(`${name} ${meaning}`);
  // Whatever the severity of the operator's rule: it was only measured that the rule is broken.
  return {
    severity: 'warning',
    symptom: 'erroring',
    alert: true,
    ...(said && { kind: said.kind }),
    title: `alert ${name} fires`,
    detail,
  };
}

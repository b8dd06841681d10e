import { nodeFinder, telemetryNames } from './find-node.js';
import type { AlertRecord } from '../domain/telemetry/records.js';

/**
 * Alerts that fire while all is well, to show that alerting works or to inhibit others
 * (kube-prometheus).
 */
const ALWAYS = /^(watchdog|deadmanss?switch|infoinhibitor)$/i;
const HARMLESS = /^(none|info|ok)$/i;

interface AlertedNode {
  id: string;
  name: string;
  attributes?: Readonly<Record<string, unknown>>;
}

/**
 * The alert that reports the failure: the first that names a node, otherwise the first; none of
 * those that always fire. Systems send alerts in groups, in no meaningful order.
 */
export function mainAlert(seen: Alerted): AlertRecord | undefined {
  const telling = tellingAlerts(seen);
  return telling.find((alert) => nodeOf(alert, seen) !== undefined) ?? telling[0];
}

interface Alerted {
  alerts: readonly AlertRecord[];
  nodes: readonly AlertedNode[];
}

/** The alerts that report a failure: none of those that always fire. */
export const tellingAlerts = ({ alerts }: Pick<Alerted, 'alerts'>): AlertRecord[] =>
  alerts.filter(
    ({ labels }) =>
      !ALWAYS.test(labels['alertname'] ?? '') && !HARMLESS.test(labels['severity'] ?? ''),
  );

/** The node of the topology that an alert is about. */
export function nodeOf(alert: AlertRecord, { nodes }: Pick<Alerted, 'nodes'>): string | undefined {
  const node = nodeNamedBy(alert, nodes);
  return nodes.find(({ id }) => id === node)?.id;
}

/** The nodes that alerts are about. */
export const nodesOfAlerts = (seen: Alerted): ReadonlySet<string | undefined> =>
  new Set(tellingAlerts(seen).map((alert) => nodeOf(alert, seen)));

/**
 * The node that the main alert is about: from the first of its labels that names one, otherwise the
 * only node that its texts name; otherwise the value of its label `service` or `node`, even if no
 * node has this name.
 */
export function nodeOfAlert(seen: Alerted): string | undefined {
  const alert = mainAlert(seen);
  return alert && nodeNamedBy(alert, seen.nodes);
}

function nodeNamedBy(alert: AlertRecord, nodes: readonly AlertedNode[]): string | undefined {
  const named = nodes.map((node) => ({
    id: node.id,
    names: [node.name, ...telemetryNames(node)],
  }));
  const id = nodeFinder(named).find(alert.labels);
  if (id !== undefined) return id;
  const inText = nodesNamedIn(
    textOfAlert(alert),
    nodes.map((node) => node.id),
  );
  return inText.length === 1 ? inText[0] : (alert.labels['service'] ?? alert.labels['node']);
}

/** Its name, summary and description. */
export const textOfAlert = ({ labels, annotations }: AlertRecord): string =>
  [labels['alertname'], annotations['summary'], annotations['description']].join(' ');

/**
 * The names that occur in a text as separate words. A longer name hides a shorter one in it:
 * "orders-db" does not name "orders".
 * @param text of at most some thousand characters
 */
export function nodesNamedIn(text: string, names: readonly string[]): string[] {
  let rest = text.toLowerCase();
  const found: string[] = [];
  for (const name of names.toSorted((a, b) => b.length - a.length)) {
    const parts = splitAtWord(rest, name.toLowerCase());
    if (parts.length === 1) continue;
    found.push(name);
    rest = parts.join(' ');
  }
  return found;
}

const isWord = (character: string | undefined): boolean =>
  character !== undefined && /[a-z0-9]/.test(character);

/** A text without the places at which a word occurs alone. */
function splitAtWord(text: string, word: string): string[] {
  if (word === '') return [text];
  const parts: string[] = [];
  let start = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    if (isWord(text[at - 1]) || isWord(text[at + word.length])) continue;
    parts.push(text.slice(start, at));
    start = at + word.length;
  }
  return [...parts, text.slice(start)];
}

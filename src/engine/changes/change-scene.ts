import { readChange, type ReadChange } from './read-change.js';
import type { ExternalCause } from '../outside/external-cause.js';
import { callsIn } from '../call-graph.js';
import type { FailingNode } from '../first-failing.js';
import { sortOf } from '../siblings.js';
import { signsOf } from '../signs/signs.js';
import { isBackground, templateText } from '../logs/log-templates.js';
import { isWorse, recordedNodes, type Observations, type Anomalies } from '../observations.js';
import type { Change, Series } from '../../domain/telemetry/records.js';
import type { FaultText, TextSymptom } from '../symptoms.js';
import { namesInMessage } from './code-names.js';
import { usualDurations } from './usual-durations.js';
import { wholeWords, wordsOf } from './words.js';

/** The facts that a change is compared with. */
export interface ChangeContext {
  anomalies: Anomalies;
  texts: readonly FaultText[];
  symptoms: ReadonlyMap<TextSymptom, number>;
  external: readonly ExternalCause[];
  /** The nodes by their signs, without regard to changes. */
  failing: readonly FailingNode[];
}

/**
 * The failure in the form that changes are compared with, with the words that it and the changes
 * use.
 */
export interface ChangeScene extends ChangeContext {
  commits: readonly { change: Change; read: ReadChange }[];
  deploys: readonly Change[];
  /** When the failure was reported: a time that is far from it is shown with its date. */
  now: number;
  nodes: readonly string[];
  /** The kind of work of each node: nodes with the same kind are compared. */
  sorts: ReadonlyMap<string, string>;
  /** When each unhealthy node became so. */
  unhealthy: ReadonlyMap<string, number>;
  calls: ReadonlyMap<string, ReadonlySet<string>>;
  /** The nodes with any recorded telemetry. */
  recorded: ReadonlySet<string | undefined>;
  /** How long the series of an unhealthy node grew until its onset, if it did not step, in ms. */
  growing: ReadonlyMap<string, number>;
  /** The weight of a word that the failure mentions. */
  said: ReadonlyMap<string, number>;
  /** The words that the failure mentions, as they are written, in lower case. */
  saidWhole: ReadonlySet<string>;
  /** Names of code in the new errors that no earlier line has. */
  names: ReadonlySet<string>;
  /** 1 for a word of a single change, towards 0 for a word of all. */
  rarity: (word: string) => number;
  nodeWords: ReadonlySet<string>;
  faultText: string;
  calmText: string;
  /** The usual maximum duration of requests of a node, in seconds. */
  usual: ReadonlyMap<string, number>;
  series: readonly Series[];
}

/** Reads the changes, and collects the words of the failure and the unhealthy nodes. */
export function setScene(seen: Observations, context: ChangeContext): ChangeScene {
  const { changes, nodes, templates } = seen;
  const { anomalies, texts } = context;
  const commits = changes
    .filter(({ kind, diff }) => kind === 'commit' || diff !== undefined)
    .map((change) => ({ change, read: readChange(change) }));
  const holders = new Map<string, number>();
  for (const { read } of commits)
    for (const word of read.words.keys()) holders.set(word, (holders.get(word) ?? 0) + 1);
  const count = commits.length;
  const calm = templates.filter(({ early }) => early > 0);
  const usual = new Set(calm.flatMap((template) => wordsOf(templateText(template))));
  const said = new Map<string, number>();
  for (const { text, weight } of texts)
    for (const word of wordsOf(text))
      said.set(word, Math.max(said.get(word) ?? 0, weight * (usual.has(word) ? 0.4 : 1)));
  const unhealthy = new Map<string, number>();
  const see = (node: string | undefined, at: number) => {
    if (node !== undefined) unhealthy.set(node, Math.min(unhealthy.get(node) ?? Infinity, at));
  };
  // An improvement makes no node unhealthy.
  for (const each of anomalies.moved) if (isWorse(each)) see(each.node, each.onset.at);
  for (const each of anomalies.appeared) {
    const { node, error, warning, first } = each;
    const tells = error || (warning && !isBackground(each, seen.frame));
    if (tells && !anomalies.isFar(node)) see(node, first);
  }
  for (const { node, start } of anomalies.failedSpans)
    if (start > anomalies.quietUntil) see(node, start);
  for (const { node, at, from } of signsOf(seen, anomalies))
    if (from === 'caller' && at !== undefined) see(node, at);
  // A message of the cluster without a time belongs to the failure that is seen elsewhere.
  for (const { node, from, since } of texts)
    if (from === 'cluster') see(node, since ?? anomalies.mainOnset);
  const growing = new Map(
    anomalies.moved.flatMap(({ node = '', onset }) =>
      onset.ramp && onset.at === unhealthy.get(node)
        ? [[node, Math.max(0, anomalies.reportedAt - onset.at)] as const]
        : [],
    ),
  );
  const ids = nodes.map(({ id }) => id);
  const calmText = calm.map(({ sample }) => sample.body).join('\n');
  return {
    ...context,
    commits,
    unhealthy,
    growing,
    said,
    nodes: ids,
    sorts: new Map(nodes.map((node) => [node.id, sortOf(node)])),
    recorded: recordedNodes(seen),
    calls: callsIn(seen),
    now: anomalies.reportedAt,
    deploys: changes
      .filter(({ kind, failed }) => kind === 'deploy' && !failed)
      .toSorted((a, b) => a.at - b.at),
    rarity: (word) =>
      count === 0 ? 1 : Math.log(1 + count / (holders.get(word) ?? 1)) / Math.log(1 + count),
    nodeWords: new Set(ids.flatMap(wordsOf)),
    faultText: texts.map(({ text }) => text).join('\n'),
    calmText,
    usual: usualDurations(seen, anomalies.quietUntil),
    series: seen.series,
    names: newNames(texts, calmText, ids),
    saidWhole: new Set(texts.flatMap(({ text }) => wholeWords(text).map(([whole]) => whole))),
  };
}

/** Names of spans, series and alerts exist before the failure, too. */
const MESSAGES: readonly FaultText['from'][] = ['log', 'pattern', 'cluster', 'span', 'operation'];
const LEAST_WEIGHT = 0.7;

function newNames(texts: readonly FaultText[], calmText: string, ids: readonly string[]) {
  const usual = new Set([...namesInMessage(calmText), ...ids]);
  const said = texts
    .filter(({ from, weight }) => MESSAGES.includes(from) && weight >= LEAST_WEIGHT)
    .flatMap(({ text }) => [...namesInMessage(text)]);
  return new Set(said.filter((name) => !usual.has(name)));
}

/** The weight of a word that a change and the failure share: small for the name of a node. */
export const wordWeight = (word: string, { said, rarity, nodeWords }: ChangeScene): number =>
  (said.get(word) ?? 0) * rarity(word) * (nodeWords.has(word) ? 0.3 : 1);

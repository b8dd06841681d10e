import type { EventData } from '../../../../src/client/index.js';
import { number } from '../number.js';
import { fieldsOf, listOf, numberOf, textOf, toolFindingsOf, type Fields } from '../read.js';
import type { RunModel } from '../run-model.js';

const LOOKED_AT = 6;

const ms = (value: number): string =>
  value < 1_000
    ? `${Math.round(value)} ms`
    : `${(value / 1_000).toFixed(value < 10_000 ? 2 : 1)} s`;

/**
 * What says most about a node at `seq`, in a few words: of the latest results, what is wrong before
 * what is well, and numbers before words.
 */
export function factAt(model: RunModel, node: string, seq: number): string {
  const results = model.nodes.get(node)?.results.filter((result) => result <= seq) ?? [];
  const isWell = model.health(node, seq) === 'ok';
  let best = { text: '', weight: -1 };
  for (const result of results.slice(-LOOKED_AT).reverse()) {
    const event = model.at(result);
    if (event?.name !== 'llm.tool_result') continue;
    const fact = factOf(event.data, isWell);
    if (fact.weight > best.weight) best = fact;
  }
  return best.text;
}

interface Fact {
  text: string;
  weight: number;
}

function factOf({ status, result }: EventData['llm.tool_result'], isWell: boolean): Fact {
  if (status !== 'ok')
    return { text: status === 'timeout' ? 'no result in time' : status, weight: 0 };
  const { measurements, issues, summary } = toolFindingsOf(result);
  const value = factIn(measurements);
  const [issue] = issues;
  const wrong = issues.some(({ severity }) => severity !== 'info');
  // What is only worth knowing is not what a healthy node is about.
  const words = issue && !(isWell && !wrong) ? issue.title : summary;
  // An answer, or a memory with a limit, says more than a connection.
  const strong = measurements['status'] !== undefined || Boolean(measurements['maxmemory_bytes']);
  return {
    text: value ?? words,
    weight: (wrong ? 4 : 0) + (value !== undefined ? 2 : 0) + (strong ? 1 : 0),
  };
}

function factIn(measured: Fields): string | undefined {
  const value = (key: string): number | undefined => numberOf(measured[key]);
  const median = (key: string): number | undefined => numberOf(fieldsOf(measured[key])['median']);
  const status = value('status');
  const latency = median('latency_ms');
  if (status !== undefined)
    return latency === undefined ? `${status}` : `${status} in ${ms(latency)}`;
  const memory = value('memory_percent');
  if (memory !== undefined && value('maxmemory_bytes')) return `memory ${memory} %`;
  const load = value('load_per_core');
  if (load !== undefined) return fullestOf(load, value('disk_percent'), memory);
  const days = numberOf(fieldsOf(measured['certificate'])['days_left']);
  if (days !== undefined) return `${number(days)} days left`;
  const lookup = value('lookup_ms');
  if (lookup !== undefined && textOf(measured['error']) === '') return `resolves in ${ms(lookup)}`;
  const connect = median('connect_ms');
  return connect === undefined ? recordedIn(measured) : `connects in ${ms(connect)}`;
}

/** Of a machine: what it has least left of. A load of 1 per core is all of it. */
function fullestOf(load: number, disk = 0, memory = 0): string {
  const parts: [part: number, text: string][] = [
    [load * 100, `load ${load}`],
    [disk, `disk ${disk} %`],
    [memory, `memory ${memory} %`],
  ];
  return parts.reduce((fullest, one) => (one[0] > fullest[0] ? one : fullest))[1];
}

/** By size: how many digits after the point a tool shows in its findings. */
const DIGITS: [least: number, digits: number][] = [
  [100, 0],
  [10, 1],
  [0.1, 2],
];

/** As in the findings, so that a card and a claim show the same figure. */
function short(value: number): string {
  const digits = DIGITS.find(([least]) => Math.abs(value) >= least)?.[1] ?? 4;
  return number(Number(value.toFixed(digits)));
}

/** Of recorded telemetry: how far a series went. */
function recordedIn({ moved }: Fields): string | undefined {
  const { name, from, to } = fieldsOf(listOf(moved)[0]);
  const before = numberOf(from);
  const after = numberOf(to);
  if (before === undefined || after === undefined) return undefined;
  return `${short(before)} → ${short(after)} ${textOf(name)}`;
}

import { count, number } from '../number.js';
import { fieldsOf, listOf, numberOf, textOf, toolFindingsOf, type Fields } from '../read.js';
import type { RunModel } from '../run-model.js';

const LOOKED_AT = 6;

const ms = (value: number): string =>
  value < 1_000
    ? `${Math.round(value)} ms`
    : `${(value / 1_000).toFixed(value < 10_000 ? 2 : 1)} s`;

/**
 * The one number that says most about a node at `seq`: of the latest results, what is wrong before
 * what is well, and numbers before words.
 */
export function factAt(model: RunModel, node: string, seq: number): string {
  let best = '';
  let wrong = '';
  const results = model.nodes.get(node)?.results.filter((result) => result <= seq) ?? [];
  for (const result of results.slice(-LOOKED_AT).reverse()) {
    const event = model.at(result);
    if (event?.name !== 'llm.tool_result') continue;
    if (event.data.status !== 'ok') {
      best ||= event.data.status === 'timeout' ? 'no result in time' : event.data.status;
      continue;
    }
    const { measurements, issues, summary } = toolFindingsOf(event.data.result);
    const value = factIn(measurements);
    const fact = value ?? issues[0]?.title ?? summary;
    if (issues.length > 0 && value !== undefined) return value;
    if (issues.length > 0) wrong ||= fact;
    const strong = measurements['status'] !== undefined || measurements['maxmemory_bytes'];
    if (!best || strong) best = fact;
  }
  return wrong || best;
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

/** Of recorded telemetry: how far a series went, else how many new errors its log has. */
function recordedIn({ moved, new: appeared }: Fields): string | undefined {
  const { name, from, to } = fieldsOf(listOf(moved)[0]);
  const before = numberOf(from);
  const after = numberOf(to);
  if (before !== undefined && after !== undefined)
    return `${number(Math.round(before))} → ${number(Math.round(after))} ${textOf(name)}`;
  const errors = listOf(appeared).filter((line) => fieldsOf(line)['error'] === true).length;
  return errors > 0 ? count(errors, 'new error') : undefined;
}

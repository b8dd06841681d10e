import { count, number } from './number.js';
import { fieldsOf, listOf, textOf, toolFindingsOf } from './read.js';
import type { LogEvent } from './types.js';

const KINDS: Record<string, string> = {
  'lifecycle.started': 'started',
  'lifecycle.completed': 'completed',
  'lifecycle.failed': 'failed',
  'lifecycle.cancelled': 'cancelled',
  'system.topology': 'topology',
  'system.warning': 'warning',
  'system.error': 'error',
  'system.approval': 'asks',
  'system.decision': 'decided',
  'llm.stream': 'says',
  'llm.reasoning': 'thinks',
  'llm.tool_call': 'calls',
  'llm.tool_result': 'result',
  'llm.usage': 'usage',
  'dispatch.team': 'sends team',
  'dispatch.worker': 'sends',
  'dispatch.report': 'reports',
};

/** What an event is, in a word. */
export const kindOf = ({ name }: LogEvent): string => KINDS[name] ?? name;

/** Longer texts of one line are cut. */
const LINE = 200;

/** What an event says, in a line. */
export function lineOf(event: LogEvent): string {
  switch (event.name) {
    case 'lifecycle.started':
      return `“${event.data.user_message}”`;
    case 'lifecycle.completed':
      return event.data.summary;
    case 'lifecycle.failed':
      return `${event.data.code}: ${event.data.error}`;
    case 'lifecycle.cancelled':
      return event.data.reason;
    case 'system.topology': {
      const { nodes, teams, version } = fieldsOf(event.data.hierarchy);
      return `${count(listOf(nodes).length, 'node')}, ${count(listOf(teams).length, 'team')}, version ${textOf(version)}`;
    }
    case 'llm.stream':
      return event.data.content;
    case 'llm.reasoning':
      return event.data.thought;
    case 'llm.tool_call':
      return `${event.data.tool}(${argumentsOf(event.data.args)})`;
    case 'llm.tool_result': {
      const { status, result, tool } = event.data;
      const { summary, error } = toolFindingsOf(result);
      if (status !== 'ok') return `${tool} → ${status}: ${error}`;
      return `${tool} → ${summary || JSON.stringify(result).slice(0, LINE)}`;
    }
    case 'llm.usage': {
      const { model, input_tokens: read, output_tokens: written, turn, attempt } = event.data;
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      return `${model}: ${number(read)} in, ${number(written)} out · turn ${turn}${again} · ${event.data.finish_reason}`;
    }
    case 'dispatch.team':
      return `→ ${event.data.team_name}: ${event.data.task}`;
    case 'dispatch.worker':
      return `→ ${event.data.worker_name}: ${event.data.task}`;
    case 'dispatch.report': {
      const { status, reasons, summary } = event.data;
      return status === 'ok' ? summary : `${status} ${reasons.join(', ')} · ${summary}`;
    }
    case 'system.warning':
    case 'system.error':
    case 'system.approval':
    case 'system.decision':
      return event.data.message;
    default:
      return JSON.stringify((event as { data: unknown }).data ?? null).slice(0, LINE);
  }
}

export const argumentsOf = (args: Record<string, unknown>): string =>
  Object.entries(args)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

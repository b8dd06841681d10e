import type { EventData, NamedEvent } from '../../domain/events/event.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import type { JsonObject } from '../../lib/json.js';
import { duration } from './layout.js';
import type { Colour } from './paint.js';
import { summaryOf, type RunFacts } from './run-facts.js';

const STATUS_MARK: Record<string, [string, Colour]> = {
  ok: ['✓', 'green'],
  degraded: ['!', 'yellow'],
  partial: ['!', 'yellow'],
  failed: ['✗', 'red'],
};

/** Time from which it is shown that a tool is still running. */
const SHOWN_FROM_MS = 5_000;

/** An action of an agent or a person, before it is formatted. */
export interface TranscriptEntry {
  mark: string;
  colour: Colour;
  /** Emphasised prefix of the text. */
  head?: string;
  text: string;
  /** Emphasised suffix: the duration. */
  tail?: string;
  /** Maximum number of lines. */
  most: number;
  dim?: boolean;
}

/** Returns what an event shows in the transcript, or undefined. `facts` must have seen it. */
export function entryOf(event: NamedEvent, facts: RunFacts): TranscriptEntry | undefined {
  switch (event.name) {
    case 'dispatch.team':
      return {
        mark: '→',
        colour: 'cyan',
        head: event.data.team_name,
        text: event.data.task,
        most: 1,
      };
    case 'dispatch.worker':
      return {
        mark: '→',
        colour: 'blue',
        head: event.data.worker_name,
        text: event.data.task,
        most: 1,
      };
    case 'llm.tool_call':
      return {
        mark: '⋯',
        colour: 'dim',
        text: `${event.data.tool} ${targetText(event.data.args, facts)}`,
        most: 1,
      };
    case 'llm.tool_result': {
      const { tool, tool_call_id, result, status, duration_ms } = event.data;
      const { node } = facts.calls.get(tool_call_id) ?? {};
      const text = `${tool}${typeof node === 'string' ? ` ${facts.nodeName(node)}` : ''}: ${summaryOf(result, status)}`;
      const tail = duration(duration_ms);
      if (status !== 'ok')
        return { mark: '?', colour: 'yellow', text: `${text} (${status})`, tail, most: 2 };
      const [mark, colour] = STATUS_MARK[measuredStatus(result)] ?? ['·', 'dim'];
      return { mark, colour, text, tail, most: 2 };
    }
    case 'dispatch.report': {
      const { status, summary, reasons, findings, dispatch_id } = event.data;
      const [, colour] = STATUS_MARK[worstOf(findings) ?? status] ?? ['', 'dim'];
      const text = status === 'ok' ? summary : `${summary} (${[status, ...reasons].join(', ')})`;
      const sent = facts.dispatchedAt.get(dispatch_id);
      return {
        mark: '←',
        colour,
        text,
        most: 2,
        ...(sent === undefined ? {} : { tail: duration(Date.parse(event.timestamp) - sent) }),
      };
    }
    case 'system.warning':
      if (isShortWait(event.data)) return undefined;
      return {
        mark: '!',
        colour: 'yellow',
        text: `${event.data.code}: ${event.data.message}`,
        most: 3,
      };
    case 'system.error':
      return {
        mark: '✗',
        colour: 'red',
        text: `${event.data.code}: ${event.data.message}`,
        most: 3,
      };
    case 'system.approval':
      return {
        mark: '?',
        colour: 'yellow',
        head: 'Approval needed',
        text: `${event.data.message} ${event.data.risk}`,
        most: 4,
      };
    case 'system.decision': {
      const [mark, colour]: [string, Colour] =
        event.data.decision === 'approve' ? ['✓', 'green'] : ['✗', 'yellow'];
      return { mark, colour, text: event.data.message, most: 2 };
    }
    default:
      // Nothing to show (usage), or an event that a later service has and this client does not
      // know.
      return undefined;
  }
}

/** The arguments of a tool call: the node by its name, then the others. */
function targetText({ node, ...others }: JsonObject, facts: RunFacts): string {
  const name = typeof node === 'string' ? facts.nodeName(node) : '';
  const rest = Object.entries(others).map(
    ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return rest.length > 0 ? `${name} (${rest.join(', ')})`.trim() : name;
}

/**
 * Whether a warning only reports a tool that has run for less than a few seconds: on a busy machine
 * nearly every tool does.
 */
function isShortWait({ code, ...data }: EventData['system.warning']): boolean {
  const elapsedMs = data['elapsed_ms'];
  return code === 'TOOL_RUNNING' && typeof elapsedMs === 'number' && elapsedMs < SHOWN_FROM_MS;
}

const measuredStatus = (result: unknown): string => {
  const status = (result as { status?: unknown } | null)?.status;
  return typeof status === 'string' ? status : '';
};

function worstOf(findings: readonly Finding[]): 'failed' | 'degraded' | undefined {
  if (findings.some(({ severity }) => severity === 'critical')) return 'failed';
  return findings.some(({ severity }) => severity === 'warning') ? 'degraded' : undefined;
}

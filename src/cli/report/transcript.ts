import type { EventData, NamedEvent, Source } from '../../domain/events/event.js';
import type { Finding } from '../../domain/diagnosis/finding.js';
import type { JsonObject } from '../../lib/json.js';
import { unescapeMarkdown, unsaid } from '../../lib/markdown.js';
import { count, duration, length, oneLine, shorten, wrap } from './layout.js';
import type { Colour, Paint } from './paint.js';
import { summaryOf, type RunFacts } from './run-facts.js';

const LEVEL = { global_supervisor: 0, oracle: 0, team_supervisor: 1, worker: 2 } as const;
const COLOUR_OF_LEVEL: readonly Colour[] = ['magenta', 'cyan', 'blue'];
const STATUS_MARK: Record<string, [string, Colour]> = {
  ok: ['✓', 'green'],
  degraded: ['!', 'yellow'],
  partial: ['!', 'yellow'],
  failed: ['✗', 'red'],
};

/** Time from which it is shown that a tool is still running. */
const SHOWN_FROM_MS = 5_000;

/** An action of an agent or a person, before it is formatted. */
interface Entry {
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

/** Text that an agent is still streaming. */
interface Buffer {
  kind: 'text' | 'thought';
  turn: string;
  text: string;
  source: Source;
}

/**
 * Turns the events of a run into lines, as they happen: when, who (indented by rank), what. Every
 * line names its agent, so that agents working at once stay legible; the text that one of them
 * streams is collected and comes in one piece.
 */
export class Transcript {
  readonly #buffers = new Map<string, Buffer>();
  #nameWidth = 24;

  constructor(
    private readonly facts: RunFacts,
    private readonly columns: number,
    private readonly paint: Paint,
  ) {}

  /** The lines that this event adds. `facts` must have seen it before. */
  next(event: NamedEvent): string[] {
    const { facts, paint } = this;
    const at = Date.parse(event.timestamp) - facts.startedAt;
    switch (event.name) {
      case 'lifecycle.started':
        return [
          paint('bold', oneLine(facts.topologyName)),
          paint('dim', `“${shorten(oneLine(event.data.user_message), this.columns - 4)}”`),
        ];
      case 'system.topology': {
        this.#nameWidth = this.#widthOfNames();
        const parts = [
          count(facts.nodes.size, 'node'),
          count(facts.teams, 'team'),
          count(facts.agents.length, 'agent'),
        ];
        return [paint('dim', `${parts.join(', ')} · run ${facts.runId}`), ''];
      }
      case 'llm.stream':
        return this.#collect('text', event.data.content, event, at);
      case 'llm.reasoning':
        return this.#collect('thought', event.data.thought, event, at);
      case 'lifecycle.completed':
        return [...this.#buffers.keys()].flatMap((agent) =>
          this.#flush(agent, at, conclusionOf(event.data)),
        );
      case 'lifecycle.failed':
      case 'lifecycle.cancelled':
        return [...this.#buffers.keys()].flatMap((agent) => this.#flush(agent, at));
      default: {
        const entry = this.#entry(event, at);
        if (entry === undefined) return [];
        const next = event.name === 'dispatch.report' ? entry.text : '';
        const said = event.source === null ? [] : this.#flush(event.source.agent_id, at, next);
        return [...said, ...this.#layOut(event.source, at, entry)];
      }
    }
  }

  #entry(event: NamedEvent, at: number): Entry | undefined {
    const { facts } = this;
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
          text: `${event.data.tool} ${this.#target(event.data.args)}`,
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
          ...(sent === undefined ? {} : { tail: duration(at + facts.startedAt - sent) }),
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

  #collect(kind: Buffer['kind'], text: string, { source, data }: NamedEvent, at: number): string[] {
    if (source === null) return [];
    const { dispatch_id, turn, attempt } = data as {
      dispatch_id: string | null;
      turn: number;
      attempt: number;
    };
    const key = `${dispatch_id ?? ''} ${turn} ${attempt}`;
    const open = this.#buffers.get(source.agent_id);
    if (open?.kind === kind && open.turn === key) {
      open.text += text;
      return [];
    }
    const before = open === undefined ? [] : this.#flush(source.agent_id, at);
    this.#buffers.set(source.agent_id, { kind, turn: key, text, source });
    return before;
  }

  /** Returns the buffered text of an agent, unless its report or the run's summary repeats it. */
  #flush(agentId: string, at: number, next = ''): string[] {
    const open = this.#buffers.get(agentId);
    this.#buffers.delete(agentId);
    if (open === undefined) return [];
    const text = oneLine(unescapeMarkdown(open.text));
    const rest = unsaid(oneLine(next), text).trim();
    if (rest === '' || oneLine(next).startsWith(text)) return [];
    return this.#layOut(open.source, at, {
      mark: '·',
      colour: 'dim',
      text: rest,
      most: 3,
      dim: open.kind === 'thought',
    });
  }

  #layOut(
    source: Source | null,
    at: number,
    { mark, colour, head = '', text, tail = '', most, dim = false }: Entry,
  ): string[] {
    const { paint } = this;
    const level = source === null ? 0 : LEVEL[source.agent_type];
    const room = this.#nameWidth - 2 * level;
    const who = shorten(
      source === null ? 'service' : this.#who(source.agent_name, source.team_name),
      room,
    );
    const name =
      '  '.repeat(level) +
      paint(COLOUR_OF_LEVEL[level] ?? 'dim', who) +
      ' '.repeat(Math.max(room - length(who), 0));
    const time = `${(Math.max(at, 0) / 1000).toFixed(2).padStart(6)}s  `;
    const margin = length(time) + this.#nameWidth + 4;

    const bold = head === '' ? '' : `${oneLine(head)}: `;
    const width = Math.max(this.columns - margin, 24);
    let lines = wrap(bold + text, width, most);
    const reserve = tail === '' ? 0 : length(tail) + 2;
    if (length(lines.at(-1) ?? '') + reserve > width)
      lines = wrap(bold + text, width - reserve, most);
    return lines.map((line, i) => {
      const coloured =
        i === 0 && line.startsWith(bold)
          ? paint('bold', bold) + line.slice(bold.length)
          : dim
            ? paint('dim', line)
            : line;
      const shown =
        tail !== '' && i === lines.length - 1 ? `${coloured}  ${paint('dim', tail)}` : coloured;
      return i === 0
        ? `${paint('dim', time)}${name}  ${paint(colour, mark)} ${shown}`
        : ' '.repeat(margin) + shown;
    });
  }

  /** Names with the team if the name alone is ambiguous. */
  #who(name: string, team: string | null): string {
    const alike = this.facts.agents.filter((agent) => agent.name === name).length > 1;
    return oneLine(team !== null && alike ? `${name} · ${team}` : name);
  }

  /** As wide as the widest name with its indentation, within a third of the terminal. */
  #widthOfNames(): number {
    const widest = Math.max(
      ...this.facts.agents.map(
        ({ name, team }) => length(this.#who(name, team)) + (team === null ? 0 : 4),
      ),
    );
    return Math.min(widest, Math.max(16, Math.min(38, Math.floor(this.columns / 3))));
  }

  #target({ node, ...others }: JsonObject): string {
    const name = typeof node === 'string' ? this.facts.nodeName(node) : '';
    const rest = Object.entries(others).map(
      ([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    return rest.length > 0 ? `${name} (${rest.join(', ')})`.trim() : name;
  }
}

/**
 * Whether it only says that a tool is running, and for less than a few seconds: on a busy machine
 * nearly every tool does that.
 */
function isShortWait({ code, ...data }: EventData['system.warning']): boolean {
  const elapsedMs = data['elapsed_ms'];
  return code === 'TOOL_RUNNING' && typeof elapsedMs === 'number' && elapsedMs < SHOWN_FROM_MS;
}

/** What the report of a run says in sentences. */
const conclusionOf = ({ summary, report }: EventData['lifecycle.completed']): string =>
  [summary, report?.impact ?? '', report?.narrative ?? ''].join(' ');

const measuredStatus = (result: unknown): string => {
  const status = (result as { status?: unknown } | null)?.status;
  return typeof status === 'string' ? status : '';
};

function worstOf(findings: readonly Finding[]): 'failed' | 'degraded' | undefined {
  if (findings.some(({ severity }) => severity === 'critical')) return 'failed';
  return findings.some(({ severity }) => severity === 'warning') ? 'degraded' : undefined;
}

import type { NamedEvent } from '../client/named-event.js';
import type { Source } from '../domain/event.js';
import type { JsonObject } from '../domain/json.js';
import { count, duration, length, oneLine, pad, shorten, wrap } from './layout.js';
import type { Colour, Paint } from './paint.js';
import { summaryOf, type RunFacts } from './run-facts.js';

const LEVEL = { global_supervisor: 0, oracle: 0, team_supervisor: 1, worker: 2 } as const;
const COLOUR_OF_LEVEL: readonly Colour[] = ['magenta', 'cyan', 'blue'];
const STATUS_MARK: Record<string, [string, Colour]> = {
  ok: ['✓', 'green'],
  degraded: ['!', 'yellow'],
  failed: ['✗', 'red'],
  partial: ['!', 'yellow'],
};
const MOST_LINES = 3;

/** Text that an agent is still streaming. */
interface Buffer {
  kind: 'text' | 'thought';
  turn: string;
  text: string;
  source: Source;
}

/**
 * Turns the events of a run into lines, as they happen: when, who (indented by rank), what. Every line says who speaks, so
 * that agents working at once stay legible; the text that one of them streams is collected and comes in one piece.
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
    const at = Date.parse(event.timestamp) - this.facts.startedAt;
    const { source } = event;
    if (event.name === 'llm.stream') return this.#collect('text', event.data.content, event, at);
    if (event.name === 'llm.reasoning') return this.#collect('thought', event.data.thought, event, at);
    const before = source === null ? [] : this.#flush(source.agent_id, at);
    return [...before, ...this.#line(event, at)];
  }

  /** What agents had said but not ended when the run did. */
  rest(event: NamedEvent): string[] {
    const at = Date.parse(event.timestamp) - this.facts.startedAt;
    return [...this.#buffers.keys()].flatMap((agent) => this.#flush(agent, at));
  }

  #line(event: NamedEvent, at: number): string[] {
    const { facts, paint } = this;
    const say = (mark: string, colour: Colour, text: string, tail = ''): string[] =>
      this.#say(event.source, at, [mark, colour], text, tail);
    switch (event.name) {
      case 'lifecycle.started':
        return [
          paint('bold', oneLine(facts.topologyName)),
          paint('dim', `“${shorten(oneLine(event.data.user_message), this.columns - 4)}”`),
        ];
      case 'system.topology': {
        this.#nameWidth = Math.min(
          Math.max(...facts.agents.map(({ name, team }) => length(this.#who(name, team)) + (team ? 4 : 0))),
          this.#mostNameWidth(),
        );
        const parts = [count(facts.nodes.size, 'node'), count(facts.teams, 'team'), count(facts.agents.length, 'agent')];
        return [paint('dim', `${parts.join(', ')} · run ${facts.runId}`), ''];
      }
      case 'dispatch.team':
        return say('→', 'cyan', `${paint('bold', oneLine(event.data.team_name))}: ${oneLine(event.data.task)}`);
      case 'dispatch.worker':
        return say('→', 'blue', `${paint('bold', oneLine(event.data.worker_name))}: ${oneLine(event.data.task)}`);
      case 'llm.tool_call':
        return say('⋯', 'dim', `${event.data.tool} ${this.#target(event.data.args)}`);
      case 'llm.tool_result': {
        const { tool, tool_call_id, result, status, duration_ms } = event.data;
        const target = this.#target(facts.calls.get(tool_call_id) ?? {}, false);
        const text = `${tool} ${target}: ${summaryOf(result, status)}`;
        if (status !== 'ok') return say('?', 'yellow', `${text} (${status})`, duration(duration_ms));
        const [mark, colour] = STATUS_MARK[measured(result)] ?? ['·', 'dim'];
        return say(mark, colour, text, duration(duration_ms));
      }
      case 'dispatch.report': {
        const { status, summary, reasons, findings, dispatch_id } = event.data;
        const worst = findings.some(({ severity }) => severity === 'critical')
          ? 'failed'
          : findings.some(({ severity }) => severity === 'warning')
            ? 'degraded'
            : status;
        const [, colour] = STATUS_MARK[worst] ?? ['', 'dim'];
        const why = status === 'ok' ? '' : ` (${[status, ...reasons].join(', ')})`;
        return say(
          '←',
          colour,
          `${summary}${why}`,
          duration(at + facts.startedAt - (facts.dispatchedAt.get(dispatch_id) ?? at + facts.startedAt)),
        );
      }
      case 'system.warning':
        return say('!', 'yellow', `${event.data.code}: ${event.data.message}`);
      case 'system.error':
        return say('✗', 'red', `${event.data.code}: ${event.data.message}`);
      case 'llm.usage':
      case 'llm.stream':
      case 'llm.reasoning':
      case 'lifecycle.completed':
      case 'lifecycle.failed':
      case 'lifecycle.cancelled':
        return [];
    }
    // An event that a later service has and this client does not know: fields may be added (contract), and so may names.
    return [];
  }

  #collect(kind: Buffer['kind'], text: string, { source, data }: NamedEvent, at: number): string[] {
    if (source === null) return [];
    const { dispatch_id, turn, attempt } = data as { dispatch_id: string | null; turn: number; attempt: number };
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

  #flush(agentId: string, at: number): string[] {
    const open = this.#buffers.get(agentId);
    this.#buffers.delete(agentId);
    if (open === undefined || oneLine(open.text) === '') return [];
    return this.#say(open.source, at, ['·', 'dim'], open.text, '', open.kind === 'thought' ? 'dim' : undefined);
  }

  #say(source: Source | null, at: number, [mark, colour]: [string, Colour], text: string, tail = '', textColour?: Colour): string[] {
    const { paint, columns } = this;
    const level = source === null ? 0 : LEVEL[source.agent_type];
    const who = shorten(source === null ? 'service' : this.#who(source.agent_name, source.team_name), this.#nameWidth - 2 * level);
    const time = `${(Math.max(at, 0) / 1000).toFixed(2).padStart(6)}s  `;
    const name = `${'  '.repeat(level)}${paint(COLOUR_OF_LEVEL[level] ?? 'dim', who)}${' '.repeat(Math.max(this.#nameWidth - 2 * level - length(who), 0))}`;
    const margin = time.length + this.#nameWidth + 4;
    const lines = this.#wrapPainted(text, Math.max(columns - margin, 24));
    if (tail !== '' && lines.length > 0) lines[lines.length - 1] += `  ${paint('dim', tail)}`;
    return lines.map((line, i) => {
      const shown = textColour === undefined ? line : paint(textColour, line);
      return i === 0 ? `${paint('dim', time)}${name}  ${paint(colour, mark)} ${shown}` : `${pad('', margin)}${shown}`;
    });
  }

  /** Wraps as if there were no colours in the text: they stand around a first word or two, if at all. */
  #wrapPainted(text: string, width: number): string[] {
    const [, opening = '', head = '', closing = '', tail = text] = /^(\u001b\[\d+m)([^\u001b]*)(\u001b\[0m)(.*)$/su.exec(text) ?? [];
    const lines = wrap(head + tail, width, MOST_LINES);
    const [first] = lines;
    if (opening !== '' && first?.startsWith(head) === true) lines[0] = opening + head + closing + first.slice(head.length);
    return lines;
  }

  /** Names with the team wherever the name alone does not tell it. */
  #who(name: string, team: string | null): string {
    const alike = this.facts.agents.filter((agent) => agent.name === name).length > 1;
    return oneLine(team !== null && alike ? `${name} · ${team}` : name);
  }

  #mostNameWidth(): number {
    return Math.max(16, Math.min(38, Math.floor(this.columns / 3)));
  }

  #target(args: JsonObject, whole = true): string {
    const { node, ...others } = args;
    const name = typeof node === 'string' ? this.facts.nodeName(node) : '';
    const rest = Object.entries(others).map(([key, value]) => `${key} ${typeof value === 'string' ? value : JSON.stringify(value)}`);
    return whole && rest.length > 0 ? `${name} (${rest.join(', ')})`.trim() : name;
  }
}

const measured = (result: unknown): string => {
  const status = (result as { status?: unknown } | null)?.status;
  return typeof status === 'string' ? status : '';
};

import type { EventData, NamedEvent, Source } from '../../domain/events/event.js';
import { unescapeMarkdown, unsaid } from '../../lib/markdown.js';
import { count, length, oneLine, shorten, wrap } from './layout.js';
import type { Colour, Paint } from './paint.js';
import type { RunFacts } from './run-facts.js';
import { entryOf, type TranscriptEntry } from './transcript-entry.js';

const LEVEL = { global_supervisor: 0, oracle: 0, team_supervisor: 1, worker: 2 } as const;
const COLOUR_OF_LEVEL: readonly Colour[] = ['magenta', 'cyan', 'blue'];

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
        const entry = entryOf(event, facts);
        if (entry === undefined) return [];
        const next = event.name === 'dispatch.report' ? entry.text : '';
        const said = event.source === null ? [] : this.#flush(event.source.agent_id, at, next);
        return [...said, ...this.#layOut(event.source, at, entry)];
      }
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
    { mark, colour, head = '', text, tail = '', most, dim = false }: TranscriptEntry,
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
}

/** The text of a run's report. */
const conclusionOf = ({ summary, report }: EventData['lifecycle.completed']): string =>
  [summary, report?.impact ?? '', report?.narrative ?? ''].join(' ');

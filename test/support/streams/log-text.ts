import type { EventData, EventName, Source } from '../../../src/domain/events/event.js';

export const GLOBAL: Source = {
  agent_id: 'g',
  agent_type: 'global_supervisor',
  agent_name: 'Global',
  team_name: null,
};
export const ORACLE: Source = {
  agent_id: 'o',
  agent_type: 'oracle',
  agent_name: 'Oracle',
  team_name: null,
};

/** Writes a log as the service does: with sequence, timestamp and frame. */
export class LogText {
  readonly frames: string[] = [];
  private readonly tokens = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

  constructor(readonly runId = '01960d3c-5f2a-7cc0-8000-0123456789ab') {}

  add<Name extends EventName>(name: Name, source: Source | null, data: EventData[Name]): this {
    const sequence = this.frames.length + 1;
    const [category, action] = name.split('.');
    const timestamp = new Date(Date.UTC(2026, 0, 1) + sequence * 250).toISOString();
    const event = {
      run_id: this.runId,
      timestamp,
      sequence,
      source,
      event: { category, action },
      data,
    };
    this.frames.push(`event: ${name}\nid: ${sequence}\ndata: ${JSON.stringify(event)}\n\n`);
    return this;
  }

  start(kind: 'diagnosis' | 'chat'): this {
    const topology =
      kind === 'chat'
        ? { topology_id: null, topology_name: null }
        : { topology_id: 1, topology_name: 'T' };
    const where =
      kind === 'chat'
        ? {
            session_id: 'sess_1',
            context_id: 'ctx_1',
            context_tokens: 120,
            max_context_tokens: 64_000,
          }
        : {};
    return this.add('lifecycle.started', null, {
      kind,
      ...topology,
      user_message: 'Why?',
      ...where,
    });
  }

  usage(source: Source, place: Place, [input, output] = [10, 5], finish_reason = 'stop'): this {
    this.tokens.input_tokens += input;
    this.tokens.output_tokens += output;
    this.tokens.total_tokens += input + output;
    const { total_tokens } = this.tokens;
    const more = { context_tokens: input + output, max_context_tokens: 64_000, finish_reason };
    return this.add('llm.usage', source, {
      ...place,
      model: 'm',
      input_tokens: input,
      output_tokens: output,
      total_tokens,
      ...more,
    });
  }

  complete(source: Source, summary: string, partial = false): this {
    const reasons = partial ? ['LIMIT_REACHED'] : [];
    return this.add('lifecycle.completed', source, {
      summary,
      report: null,
      partial,
      reasons,
      usage: { ...this.tokens },
    });
  }

  get text(): string {
    return this.frames.join('');
  }
}

export interface Place {
  dispatch_id: string | null;
  turn: number;
  attempt: number;
}

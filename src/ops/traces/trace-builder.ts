import type { EventData, NamedEvent, Turn } from '../../domain/events/event.js';
import type { RunHead } from '../../domain/run.js';
import type { TraceContext } from '../../domain/trace-context.js';
import { clip } from '../../lib/text.js';
import { GEN_AI, OPERATION } from './gen-ai.js';
import type { Attributes, ExportedSpan, ExportedTrace } from './span.js';
import { spanIdOf, traceIdOf } from './span-ids.js';

/** Maximum spans of a run; further ones are omitted, and counted. */
const MOST_SPANS = 20_000;
const MOST_EVENTS = 100;
const MOST_CHARACTERS = 200;

/** The known facts about a run besides its events. */
export interface TracedRun {
  runId: string;
  head: Pick<RunHead, 'kind' | 'topologyId' | 'topologyName'>;
  /** ms by the log's clock. */
  createdAt: number;
  /** The trace that the run was started in. */
  caller: TraceContext | undefined;
  /** The provider of a model, if it is known here. */
  providerOf: (model: string) => string | undefined;
}

/**
 * An agent at work: the span, the agent that dispatched it, and the turn that its dispatches belong
 * to.
 */
interface Agent {
  span: ExportedSpan;
  sender: Agent | undefined;
  turn: ExportedSpan | undefined;
}

/** The agent at the top. */
const TOP = 'top';

/**
 * Computes the spans of a run from its events: run, agents, turns, calls of models and of tools.
 * Text of the events is omitted: attributes are names, numbers and codes.
 */
export class TraceBuilder {
  private readonly agents = new Map<string, Agent>();
  /**
   * The last dispatch of each agent, by its id: it has sent the dispatches that name the agent as
   * their source.
   */
  private readonly dispatchOf = new Map<string, string>();
  private readonly turns = new Map<string, ExportedSpan>();
  private readonly spans: ExportedSpan[] = [];
  private readonly root: ExportedSpan;
  private leftOff = 0;

  constructor(private readonly run: TracedRun) {
    const { runId, head, createdAt, caller } = run;
    const workflow = clip(head.kind === 'chat' ? 'chat' : head.topologyName, MOST_CHARACTERS);
    this.root = {
      spanId: spanIdOf(runId, 'run'),
      ...(caller && { parentId: caller.spanId }),
      name: `${OPERATION.run} ${workflow}`,
      kind: 'internal',
      start: createdAt,
      end: createdAt,
      events: [],
      attributes: {
        [GEN_AI.operation]: OPERATION.run,
        [GEN_AI.workflow]: workflow,
        [GEN_AI.conversation]: runId,
        'consilium.run.kind': head.kind,
        'consilium.topology.id': head.topologyId,
      },
    };
    this.spans.push(this.root);
  }

  /** Takes the next event of the log. Events of a later version of the service are ignored. */
  take(event: NamedEvent): void {
    const at = Date.parse(event.timestamp);
    this.root.end = Math.max(this.root.end, at);
    switch (event.name) {
      case 'dispatch.team':
      case 'dispatch.worker':
        return this.dispatch(event, at);
      case 'dispatch.report':
        return this.report(event.data, at);
      case 'llm.stream':
      case 'llm.reasoning':
      case 'llm.tool_call':
        return void this.turn(event, at);
      case 'llm.usage':
        return this.call(event, at);
      case 'llm.tool_result':
        return this.tool(event, at);
      case 'system.warning':
      case 'system.error':
        return this.note(event, at);
      case 'lifecycle.completed':
      case 'lifecycle.cancelled':
      case 'lifecycle.failed':
        return this.end(event);
      case 'lifecycle.started':
      case 'system.topology':
      case 'system.approval':
      case 'system.decision':
        return;
    }
  }

  /** The trace, after the last event. */
  trace(): ExportedTrace {
    if (this.leftOff > 0) this.root.attributes['consilium.spans.left_off'] = this.leftOff;
    return { traceId: traceIdOf(this.run.runId, this.run.caller), spans: this.spans };
  }

  private dispatch(event: EventNamed<'dispatch.team' | 'dispatch.worker'>, at: number): void {
    const { dispatch_id, agent_id } = event.data;
    const sender = this.agentOf(
      this.dispatchOf.get(event.source?.agent_id ?? '') ?? TOP,
      event,
      at,
    );
    const name = event.name === 'dispatch.team' ? event.data.team_name : event.data.worker_name;
    if (sender.turn) sender.turn.end = Math.max(sender.turn.end, at);
    this.dispatchOf.set(agent_id, dispatch_id);
    this.addAgent(dispatch_id, { agent_id, agent_name: name }, at, sender);
  }

  private report({ dispatch_id, status, reasons }: EventData['dispatch.report'], at: number): void {
    const agent = this.agents.get(dispatch_id);
    if (!agent) return;
    agent.span.end = Math.max(agent.span.end, at);
    agent.span.attributes['consilium.report.status'] = status;
    if (status === 'failed') agent.span.error = code(reasons[0] ?? 'failed');
    const waiting = agent.sender?.turn;
    if (waiting) waiting.end = Math.max(waiting.end, at);
  }

  private call(event: EventNamed<'llm.usage'>, at: number): void {
    const { model, finish_reason, dispatch_id, attempt, ...data } = event.data;
    const start = at - (data.duration_ms ?? 0);
    const turn = this.turn(event, at, start - (data.waited_ms ?? 0));
    const provider = this.run.providerOf(model);
    const failed = finish_reason === 'error' || finish_reason === 'aborted';
    const about = `call ${dispatch_id ?? TOP} ${data.turn} ${attempt} ${event.sequence}`;
    this.add(about, turn, {
      name: `${OPERATION.call} ${code(model)}`,
      kind: 'client',
      start,
      end: at,
      ...(failed && { error: finish_reason }),
      attributes: {
        [GEN_AI.operation]: OPERATION.call,
        ...(provider !== undefined && { [GEN_AI.provider]: provider }),
        [GEN_AI.requestModel]: code(model),
        [GEN_AI.finishReasons]: [code(finish_reason)],
        [GEN_AI.inputTokens]: data.input_tokens,
        [GEN_AI.outputTokens]: data.output_tokens,
        'consilium.attempt': attempt,
        ...(data.first_token_ms !== undefined && {
          [GEN_AI.firstChunk]: data.first_token_ms / 1_000,
        }),
        ...(data.waited_ms !== undefined && { 'consilium.waited_ms': data.waited_ms }),
        ...(data.queued_ms !== undefined && { 'consilium.queued_ms': data.queued_ms }),
        ...(data.cost !== undefined && { 'consilium.cost': data.cost }),
      },
    });
  }

  private tool(event: EventNamed<'llm.tool_result'>, at: number): void {
    const { tool, tool_call_id, status, duration_ms, node } = event.data;
    const start = at - duration_ms;
    this.add(`tool ${tool_call_id}`, this.turn(event, at, start), {
      name: `${OPERATION.tool} ${code(tool)}`,
      kind: 'internal',
      start,
      end: at,
      ...(status !== 'ok' && { error: status }),
      attributes: {
        [GEN_AI.operation]: OPERATION.tool,
        [GEN_AI.toolName]: code(tool),
        [GEN_AI.toolCallId]: code(tool_call_id),
        [GEN_AI.toolType]: 'function',
        'consilium.tool.status': status,
        ...(node !== undefined && { 'consilium.node': code(node) }),
      },
    });
  }

  private note(event: EventNamed<'system.warning' | 'system.error'>, at: number): void {
    const dispatchId = event.data['dispatch_id'];
    const agent = typeof dispatchId === 'string' ? this.agents.get(dispatchId)?.span : undefined;
    const { events } = agent ?? this.root;
    if (events.length < MOST_EVENTS) events.push({ name: code(event.data.code), at });
  }

  private end(
    event: EventNamed<'lifecycle.completed' | 'lifecycle.cancelled' | 'lifecycle.failed'>,
  ): void {
    const { root } = this;
    const { report } = event.data;
    root.attributes['consilium.run.status'] = event.name.slice('lifecycle.'.length);
    if (report) root.attributes['consilium.verdict'] = report.verdict;
    if (event.name === 'lifecycle.failed') root.error = code(event.data.code);
    // Dispatches without a report ended with their run.
    for (const { span } of this.agents.values())
      if (span.attributes['consilium.report.status'] === undefined) span.end = root.end;
  }

  /** The turn of an event, which lasts at least until then. */
  private turn(event: NamedEvent & { data: Turn }, at: number, start = at): ExportedSpan {
    const { turn } = event.data;
    const dispatchId = event.data.dispatch_id ?? TOP;
    const about = `turn ${dispatchId} ${turn}`;
    const agent = this.agentOf(dispatchId, event, start);
    let span = this.turns.get(about);
    if (!span) {
      const attributes: Attributes = { 'consilium.turn': turn };
      const made = { name: `turn ${turn}`, kind: 'internal', start, end: at, attributes } as const;
      span = this.add(about, agent.span, made);
      this.turns.set(about, span);
    }
    span.start = Math.max(agent.span.start, Math.min(span.start, start));
    span.end = Math.max(span.end, at);
    agent.turn = span;
    return span;
  }

  /** The agent of a dispatch; the one at the top begins with its first event. */
  private agentOf(dispatchId: string, { source }: NamedEvent, at: number): Agent {
    const { agent_id = '', agent_name = '' } = source ?? {};
    return this.agents.get(dispatchId) ?? this.addAgent(dispatchId, { agent_id, agent_name }, at);
  }

  private addAgent(
    dispatchId: string,
    { agent_id, agent_name }: { agent_id: string; agent_name: string },
    at: number,
    sender?: Agent,
  ): Agent {
    const name = clip(agent_name, MOST_CHARACTERS);
    const span = this.add(`agent ${dispatchId}`, sender?.span ?? this.root, {
      name: `${OPERATION.agent} ${name}`,
      kind: 'internal',
      start: at,
      end: at,
      attributes: {
        [GEN_AI.operation]: OPERATION.agent,
        [GEN_AI.agentId]: code(agent_id),
        [GEN_AI.agentName]: name,
        [GEN_AI.conversation]: this.run.runId,
        'consilium.dispatch.id': dispatchId,
      },
    });
    const agent = { span, sender, turn: undefined };
    this.agents.set(dispatchId, agent);
    return agent;
  }

  private add(
    about: string,
    parent: ExportedSpan,
    { start, ...rest }: Omit<ExportedSpan, 'spanId' | 'parentId' | 'events'>,
  ): ExportedSpan {
    const parentId = parent.spanId;
    const span: ExportedSpan = {
      spanId: spanIdOf(this.run.runId, about),
      parentId,
      start,
      events: [],
      ...rest,
    };
    if (this.spans.length < MOST_SPANS) this.spans.push(span);
    else this.leftOff++;
    return span;
  }
}

type EventNamed<Name extends NamedEvent['name']> = Extract<NamedEvent, { name: Name }>;

const code = (text: string): string => clip(text, MOST_CHARACTERS);

import fc from 'fast-check';
import type { Source } from '../../../src/domain/events/event.js';
import type { JsonObject } from '../../../src/lib/json.js';
import { GLOBAL, LogText, ORACLE, type Place } from '../streams/log-text.js';

interface Agent extends Place {
  source: Source;
  calls: string[];
  children: string[];
  /** It produced text in this turn. */
  said: boolean;
  /** Its calls for which it asked for an approval. */
  asked?: Set<string>;
}

const WORDS = [
  'Checking. ',
  'é€😀',
  '\n\n',
  'data: {}',
  '"},"data":',
  'x'.repeat(50),
  '\\',
  'id: 3.1',
];
const ARGS: JsonObject[] = [{}, { node: 'web' }, { deep: { list: [1, 'a\nb'] } }];

/**
 * Generates any log that the service could have written: interleaved agents, failed and repeated
 * attempts, every kind of end.
 */
export const anyRun: fc.Arbitrary<string[]> = fc
  .tuple(
    fc.constantFrom('diagnosis' as const, 'chat' as const),
    fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 60 }),
  )
  .map(([kind, choices]) => play(kind, choices));

function play(kind: 'diagnosis' | 'chat', choices: number[]): string[] {
  const log = new LogText().start(kind);
  const top: Agent = {
    source: kind === 'chat' ? ORACLE : GLOBAL,
    dispatch_id: null,
    turn: 1,
    attempt: 1,
    calls: [],
    children: [],
    said: false,
  };
  const agents = new Map<string, Agent>([['', top]]);
  let count = 0;
  if (kind === 'diagnosis')
    log.add('system.topology', null, { hierarchy: { topology_id: 1, teams: [] } });
  for (const choice of choices) {
    const ids = [...agents.keys()];
    const key = ids[choice % ids.length] as string;
    act(log, agents, key, { choice: Math.floor(choice / 16), kind, nth: ++count });
  }
  const end = (choices[0] as number) % 4;
  if (end === 0)
    return log.add('lifecycle.cancelled', null, {
      reason: 'Execution was cancelled by user',
      report: null,
    }).frames;
  const codes = ['RATE_LIMITED', 'OVERLOADED', 'AI_ERROR', 'DEADLINE', 'LOG_LIMIT'];
  const code = codes[(choices.at(-1) as number) % codes.length] as string;
  if (end === 1)
    return log.add('lifecycle.failed', top.source, {
      error: 'It broke.',
      code,
      retryable: true,
      report: null,
    }).frames;
  for (const key of [...agents.keys()].toReversed()) finish(log, agents, key);
  return log.complete(
    top.source,
    end === 2 ? 'Checking. It is the disk.' : 'All is well.',
    end === 3,
  ).frames;
}

function act(
  log: LogText,
  agents: Map<string, Agent>,
  key: string,
  { choice, kind, nth }: { choice: number; kind: string; nth: number },
): void {
  const agent = agents.get(key) as Agent;
  const { source, dispatch_id, turn, attempt } = agent;
  const place = { dispatch_id, turn, attempt };
  const word = WORDS[choice % WORDS.length] as string;
  const busy = agent.calls.length > 0 || agent.children.length > 0;
  switch (Math.floor(choice / 8) % 8) {
    case 0:
    case 1:
      if (busy) return answerOne(log, agents, key);
      agent.said = true;
      return void log.add('llm.stream', source, { content: word, ...place });
    case 2:
      if (busy) return answerOne(log, agents, key);
      return void log.add('llm.reasoning', source, { thought: word, ...place });
    case 3: {
      if (busy) return;
      log.usage(source, place);
      const id = `${dispatch_id ?? ''}t${nth}`;
      agent.calls.push(id);
      log.add('llm.tool_call', source, {
        tool: 'probe',
        args: ARGS[choice % 3] as JsonObject,
        tool_call_id: id,
        ...place,
      });
      if (kind === 'diagnosis' && choice % 5 < 2) ask(log, agent, id);
      return;
    }
    case 4: {
      if (busy) return;
      if (kind === 'chat' || source.agent_type === 'worker') return;
      log.usage(source, place);
      for (const i of [1, 2]) send(log, agents, key, `${dispatch_id ?? 'd'}_${nth}_${i}`);
      return;
    }
    case 5:
      return answerOne(log, agents, key);
    case 6: {
      if (busy || (kind === 'chat' && agent.said)) return;
      const warning = { message: 'Trying again.', code: 'RATE_LIMITED', retryable: true };
      // It had produced text.
      if (choice % 3 === 0)
        log.usage(source, place, [4, 2], choice % 2 === 0 ? 'error' : 'aborted');
      log.add('system.warning', source, warning);
      agent.attempt++;
      return;
    }
    default:
      if (key !== '' && !busy) finish(log, agents, key);
  }
}

/** Asks for the approval of a call. */
function ask(log: LogText, agent: Agent, id: string): void {
  const { source, dispatch_id, turn } = agent;
  agent.asked = new Set([...(agent.asked ?? []), id]);
  log.add('system.approval', source, {
    approval_id: id.replaceAll('_', '-'),
    tool_call_id: id,
    dispatch_id,
    turn,
    tool: 'probe',
    args: { node: 'web' },
    args_digest: 'a'.repeat(64),
    node: 'web',
    risk: 'Some.',
    message: 'Restart it.',
    expires_at: '2026-01-01T01:00:00.000Z',
  });
}

function send(log: LogText, agents: Map<string, Agent>, key: string, id: string): void {
  const sender = agents.get(key) as Agent;
  const team = sender.source.agent_type === 'global_supervisor';
  const agent_type = team ? 'team_supervisor' : 'worker';
  const source: Source = {
    agent_id: `a${id}`,
    agent_type,
    agent_name: `N${id}`,
    team_name: 'Team',
  };
  const data = { task: 'Look.', dispatch_id: id, agent_id: source.agent_id };
  if (team) log.add('dispatch.team', sender.source, { team_name: 'Team', ...data });
  else log.add('dispatch.worker', sender.source, { worker_name: source.agent_name, ...data });
  sender.children.push(id);
  agents.set(id, {
    source,
    dispatch_id: id,
    turn: 1,
    attempt: 1,
    calls: [],
    children: [],
    said: false,
  });
}

function answerOne(log: LogText, agents: Map<string, Agent>, key: string): void {
  const agent = agents.get(key) as Agent;
  const id = agent.calls.shift();
  if (id === undefined) return;
  const { source, dispatch_id, turn, attempt } = agent;
  const ok = id.length % 2 === 0;
  if (agent.asked?.has(id))
    log.add('system.decision', null, {
      approval_id: id.replaceAll('_', '-'),
      decision: ok ? 'approve' : 'deny',
      by: 'ann',
      message: 'ann has decided.',
    });
  const result = ok ? { status: 'ok', summary: 'answers' } : { error: 'no result within 30 s' };
  const data = {
    tool: 'probe',
    result,
    tool_call_id: id,
    duration_ms: 3,
    truncated: false,
    dispatch_id,
    turn,
    attempt,
  };
  const sources = [{ path: 'runs/1', source_type: 'run', snippet: 's', score: 0.5 }];
  log.add('llm.tool_result', source, {
    ...data,
    status: ok ? 'ok' : 'timeout',
    ...(ok ? { sources } : {}),
  });
  if (agent.calls.length === 0) next(agent);
}

function next(agent: Agent): void {
  agent.turn++;
  agent.attempt = 1;
  agent.said = false;
}

/**
 * Ends an agent and all agents that it dispatched. For the agent at the top, only its open calls
 * are answered.
 */
function finish(log: LogText, agents: Map<string, Agent>, key: string): void {
  const agent = agents.get(key);
  if (!agent) return;
  for (const child of agent.children) finish(log, agents, child);
  while (agent.calls.length > 0) answerOne(log, agents, key);
  if (key === '') return;
  agents.delete(key);
  for (const other of agents.values())
    if (other.children.includes(key)) {
      other.children = other.children.filter((id) => id !== key);
      if (other.children.length === 0) next(other);
    }
  const status = key.length % 3 === 0 ? ('failed' as const) : ('ok' as const);
  const reasons = status === 'failed' ? ['AI_ERROR'] : [];
  log.add('dispatch.report', agent.source, {
    dispatch_id: key,
    status,
    reasons,
    summary: 'Looked.',
    findings: [],
  });
}

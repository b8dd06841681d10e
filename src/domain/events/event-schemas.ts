import { LIMIT_NAMES } from '../limits/limit-bounds.js';
import { NODE_STATES, REPAIR_OUTCOMES } from '../diagnosis/finding.js';
import { MEASURES } from '../diagnosis/tool-result.js';
import type { EventName } from './event.js';
import {
  anyObject,
  anything,
  count,
  flag,
  from1,
  list,
  number,
  object,
  one,
  orNull,
  nonEmptyText,
  text,
  type JsonSchema,
} from '../json-schema.js';

const code: JsonSchema = { type: 'string', pattern: '^[A-Z][A-Z_]*$' };
const share: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const evidence: JsonSchema = { type: 'array', items: from1, minItems: 1 };
export const finding = object({
  node: text,
  severity: one('critical', 'warning', 'info'),
  title: nonEmptyText,
  detail: text,
  evidence,
  'symptom?': text,
  'origin?': one('measured', 'agent'),
  'kind?': nonEmptyText,
  'steps?': nonEmptyText,
  'part?': nonEmptyText,
  'stated?': flag,
  'alert?': flag,
  'intermittent?': flag,
  'http_status?': count,
  'object?': nonEmptyText,
  'took_ms?': { type: 'number', minimum: 0 },
  'via?': nonEmptyText,
  'explanation?': text,
});
/** Contract section 6. Fields that reports of older logs lack are optional. */
export const report = object({
  verdict: one('root_cause_found', 'issues_found', 'healthy', 'inconclusive'),
  root_causes: list(
    object({
      node: text,
      title: nonEmptyText,
      confidence: share,
      evidence,
      'kind?': nonEmptyText,
      'steps?': nonEmptyText,
      'part?': nonEmptyText,
      'object?': nonEmptyText,
      'symptom?': text,
      'explains?': list(text),
      'chain?': list(text),
      'change?': text,
      'onset?': text,
      'not_excluded?': list(object({ node: text, reason: nonEmptyText })),
      'basis?': list(nonEmptyText),
    }),
  ),
  findings: list(finding),
  unchecked: list(object({ node: text, reason: text, 'detail?': text, 'evidence?': evidence })),
  counts: object({ critical: count, warning: count, info: count }),
  'headline?': nonEmptyText,
  'candidates?': list(object({ node: text, score: share })),
  'nodes?': list(object({ node: text, state: one(...NODE_STATES), 'reached_only?': flag })),
  'next_steps?': list(
    object({
      text: nonEmptyText,
      access: one('read', 'change'),
      'node?': text,
      'nodes?': list(text),
      'evidence?': evidence,
      'command?': nonEmptyText,
      'origin?': one('catalogue', 'agent'),
    }),
  ),
  'impact?': text,
  'citations?': list(
    object({
      sequence: from1,
      tool: nonEmptyText,
      node: text,
      status: text,
      summary: text,
      at: text,
    }),
  ),
  'narrative?': text,
  'repairs?': list(
    object({
      node: text,
      tool: nonEmptyText,
      outcome: one(...REPAIR_OUTCOMES),
      text: nonEmptyText,
      'decided_by?': orNull(text),
      evidence,
    }),
  ),
});
export const usage = object({ input_tokens: count, output_tokens: count, total_tokens: count });
/** The location of something that a tool found. */
export const resultSource = { path: text, source_type: text, snippet: text, score: number };
const approvalId: JsonSchema = { type: 'string', pattern: '^[a-z0-9-]+$' };
const decision = one('approve', 'deny', 'expired');
const turn = { dispatch_id: orNull(text), turn: from1, attempt: from1 };
/**
 * `dispatch_id` and `turn`: of the agent that it is about; absent in older logs, and where the
 * service itself says it.
 */
const notice = object({
  message: nonEmptyText,
  code,
  'dispatch_id?': orNull(text),
  'turn?': count,
});

/**
 * Schema of each event's `data` (contract section 2). OpenAPI and AsyncAPI are generated from it.
 */
const DATA_SCHEMAS: Record<EventName, JsonSchema> = {
  'lifecycle.started': object({
    kind: one('diagnosis', 'chat'),
    topology_id: orNull({ type: 'integer' }),
    topology_name: orNull(text),
    user_message: text,
    'limits?': object(Object.fromEntries(LIMIT_NAMES.map((name) => [name, count]))),
    'scope?': list(text),
    'repair?': flag,
    'session_id?': text,
    'context_id?': text,
    'client_run_id?': text,
    'about_run_id?': text,
    'context_tokens?': count,
    'max_context_tokens?': count,
  }),
  'lifecycle.completed': object({
    summary: nonEmptyText,
    report: orNull(report),
    partial: flag,
    reasons: list(text),
    usage,
  }),
  'lifecycle.failed': object({
    error: nonEmptyText,
    code,
    retryable: flag,
    report: orNull(report),
    'retry_at?': { type: 'string', format: 'date-time' },
  }),
  'lifecycle.cancelled': object({ reason: text, report: orNull(report) }),
  'llm.stream': object({ content: nonEmptyText, ...turn }),
  'llm.reasoning': object({ thought: nonEmptyText, ...turn }),
  'llm.tool_call': object({
    tool: nonEmptyText,
    args: anyObject,
    tool_call_id: nonEmptyText,
    'by_service?': flag,
    ...turn,
  }),
  'llm.tool_result': object({
    tool: nonEmptyText,
    result: anything,
    tool_call_id: nonEmptyText,
    status: one('ok', 'error', 'timeout', 'denied', 'interrupted'),
    duration_ms: { type: 'number', minimum: 0 },
    truncated: flag,
    'node?': nonEmptyText,
    'subject?': text,
    'measures?': one(...MEASURES),
    'by_service?': flag,
    'sources?': list(object(resultSource)),
    'approval?': object({ approval_id: approvalId, decision, by: orNull(text) }),
    ...turn,
  }),
  'llm.usage': object({
    model: text,
    input_tokens: count,
    output_tokens: count,
    total_tokens: count,
    context_tokens: count,
    max_context_tokens: count,
    finish_reason: text,
    'estimated?': flag,
    'cost?': number,
    'duration_ms?': count,
    'waited_ms?': count,
    'first_token_ms?': count,
    'queued_ms?': count,
    ...turn,
  }),
  'dispatch.team': object({
    team_name: nonEmptyText,
    task: nonEmptyText,
    dispatch_id: nonEmptyText,
    agent_id: nonEmptyText,
  }),
  'dispatch.worker': object({
    worker_name: nonEmptyText,
    task: nonEmptyText,
    dispatch_id: nonEmptyText,
    agent_id: nonEmptyText,
  }),
  'dispatch.report': object({
    dispatch_id: nonEmptyText,
    status: one('ok', 'partial', 'failed'),
    reasons: list(text),
    summary: text,
    findings: list(finding),
    'dismissed?': list(object({ tool_call_id: nonEmptyText, reason: nonEmptyText })),
  }),
  'system.topology': object({ hierarchy: anyObject }),
  'system.warning': notice,
  'system.error': notice,
  'system.approval': object({
    approval_id: approvalId,
    tool_call_id: nonEmptyText,
    dispatch_id: orNull(text),
    turn: from1,
    tool: nonEmptyText,
    args: anyObject,
    args_digest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    node: nonEmptyText,
    risk: nonEmptyText,
    expires_at: { type: 'string', format: 'date-time' },
    message: nonEmptyText,
  }),
  'system.decision': object({
    approval_id: approvalId,
    decision,
    by: orNull(text),
    'reason?': text,
    message: nonEmptyText,
  }),
};

const source = object({
  agent_id: nonEmptyText,
  agent_type: one('global_supervisor', 'team_supervisor', 'worker', 'oracle'),
  agent_name: nonEmptyText,
  team_name: orNull(text),
});

/**
 * Schema of a whole event, as in the `data` line of its frame.
 * @param flat with the keys of format `flat`
 */
export function eventSchema(name: EventName, flat = false): JsonSchema {
  const [category, action] = name.split('.');
  const data = DATA_SCHEMAS[name];
  const keys = {
    type: { const: name },
    runId: nonEmptyText,
    agentId: orNull(text),
    agentName: orNull(text),
    agentType: orNull(text),
    teamName: orNull(text),
    content: text,
    metadata: data,
  };
  return object({
    run_id: nonEmptyText,
    timestamp: { type: 'string', format: 'date-time' },
    sequence: from1,
    source: orNull(source),
    event: object({ category: { const: category }, action: { const: action } }),
    data,
    ...(flat ? keys : {}),
  });
}

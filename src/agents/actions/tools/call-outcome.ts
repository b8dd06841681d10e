import type { EventData, ToolCallStatus } from '../../../domain/events/event.js';
import type { Measures, ToolResult } from '../../../domain/diagnosis/tool-result.js';
import type { JsonObject } from '../../../lib/json.js';
import type { OwnResult } from '../../roles/role-behaviour.js';

/** How a call ended. */
export interface CallOutcome {
  status: ToolCallStatus;
  result: ToolResult | { error: string; code?: string };
  duration_ms: number;
  truncated?: boolean;
  /** What a diagnostic tool was asked to measure. */
  target?: { node: string; subject: string; measures: Measures };
  /** For a tool of the role: replaces `result`. */
  own?: OwnResult;
  /** The call was not made, since it was faulty: it says nothing about its node. */
  refused?: true;
  /** For a call that changes its target: how a person decided about it. */
  approval?: EventData['llm.tool_result']['approval'];
  /** A reminder that the model asked for. */
  reminder?: JsonObject;
}

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
  /** What a diagnostic tool was to measure. */
  target?: { node: string; subject: string; measures: Measures };
  /** Of a tool of the role's own: takes the place of `result`. */
  own?: OwnResult;
  /** The call was not made, since something was wrong with it: it says nothing of its node. */
  refused?: true;
  /** Of a call that changes its target: how a person decided about it. */
  approval?: EventData['llm.tool_result']['approval'];
  /** A reminder that the model asked for. */
  reminder?: JsonObject;
}

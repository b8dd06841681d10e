import type { Brief } from '../../domain/prompt/brief.js';
import type { OfferedTool } from '../../domain/prompt/offered-tool.js';
import type { AgentPlace } from '../runtime/agent-place.js';
import type { ResultSource } from '../../domain/events/event.js';
import type { JsonObject } from '../../lib/json.js';
import type { RunSpec } from '../../domain/run.js';

/** A progress report of a call while it runs. */
export interface CallProgress {
  message: string;
  /** Further fields of the warning `TOOL_RUNNING`. */
  details: JsonObject;
}
export type ReportProgress = (progress: CallProgress) => void;

/** The context of a call of a role's own tool. */
export interface OwnContext {
  runId: string;
  spec: RunSpec;
  /** Unique in the run, and the same when the call is made again after a crash. */
  callId: string;
  /** The earlier calls of the same tool by the agent, in order. */
  before: readonly JsonObject[];
  /** The result is sent to a model of a provider, which must not receive the address of a node. */
  forProvider: boolean;
  /** ms, by the log's clock: when the run was accepted. */
  createdAt: number;
  /** ms until the time of the run ends, when the call was made. */
  leftMs: number;
  signal: AbortSignal;
  report: ReportProgress;
}

/** Its result, and the sources of it. */
export interface OwnResult {
  result: JsonObject;
  sources?: ResultSource[];
  /** Why the result may be outdated, for the model and the person. */
  stale?: { path: string; message: string };
}

/** The specifics of a role: its brief, and its tools. Everything else belongs to the runtime. */
export interface RoleBehaviour {
  brief(spec: RunSpec, place: AgentPlace): Brief;
  tools(spec: RunSpec, place: AgentPlace): OfferedTool[];
  /** Names of the diagnostic tools that it may call; by default those of its binding. */
  diagnostic?(spec: RunSpec): string[];
  /**
   * Runs a tool of the role; undefined if it has none of this name. An error becomes the result.
   */
  run?(name: string, args: JsonObject, context: OwnContext): Promise<OwnResult> | undefined;
  /** Streamed text cannot be retracted: a turn that fails after its first text is not repeated. */
  speaksOnce?: boolean;
}

import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { AgentPlace } from './agent-place.js';
import type { RunSpec } from '../domain/run.js';

/** What makes a role of an agent: its prompt and its tools. Everything else is the runtime's. */
export interface RoleBehaviour {
  /** System prompt, with the brief on its last line. */
  system(spec: RunSpec, place: AgentPlace): string;
  tools(spec: RunSpec, place: AgentPlace): LanguageModelV3FunctionTool[];
}

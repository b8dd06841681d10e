import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { Tree } from '../domain/behaviour-tree/tree.js';
import type { AgentPlace } from './agent-place.js';
import type { RunSpec } from '../domain/run.js';

/** What makes a role of an agent: its tree, its prompt and its tools. Everything else is the runtime's. */
export interface RoleBehaviour {
  tree: Tree;
  /** System prompt, with the brief on its last line. */
  system(spec: RunSpec, place: AgentPlace): string;
  tools(spec: RunSpec, place: AgentPlace): LanguageModelV3FunctionTool[];
}

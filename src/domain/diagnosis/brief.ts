import type { JsonObject } from '../../lib/json.js';

interface NodeBrief {
  id: string;
  name: string;
  kind: string;
  dependsOn: string[];
}

/**
 * What an agent is told of its place, as JSON on the last line of its system prompt: the same for a language model and for
 * the runbook. No endpoints and no credentials.
 */
export type Brief =
  | {
      role: 'worker';
      userMessage: string;
      node: NodeBrief & { attributes: JsonObject };
      /** Calls worth making first. */
      firstLook: { tool: string; args: JsonObject }[];
    }
  | {
      role: 'team_supervisor';
      userMessage: string;
      team: string;
      nodes: NodeBrief[];
      workers: { name: string; node: string }[];
    }
  | {
      role: 'global_supervisor';
      userMessage: string;
      nodes: NodeBrief[];
      teams: { name: string; nodes: string[] }[];
      /** Calls over the whole system worth making before any team is sent. */
      firstLook: { tool: string; args: JsonObject }[];
    }
  | {
      role: 'oracle';
      userMessage: string;
      /** Id of the diagnosis that the person looks at. */
      run?: string;
      topology: {
        id: number;
        name: string;
        nodes: (NodeBrief & { firstLook: { tool: string; args: JsonObject }[] })[];
      } | null;
      thinking: boolean;
    };

export const writeBrief = (instructions: string, brief: Brief): string =>
  `${instructions.trim()}\n\n${JSON.stringify(brief)}`;

/** @throws SyntaxError when the last line is no JSON: the prompt was not made by `writeBrief` */
export const readBrief = (system: string): Brief =>
  JSON.parse(system.slice(system.lastIndexOf('\n') + 1)) as Brief;

import { joinSentences } from '../../lib/text.js';
import type { SourceState } from '../live/check-source.js';
import { approvalFault, type ApprovedTool } from './tool-definition.js';

/**
 * States of sources, with the tools of TOOLS_DIR that an MCP server does not offer as they were
 * approved.
 */
export const withApprovals = (
  states: readonly SourceState[],
  tools: readonly { name: string; calls?: ApprovedTool }[],
): SourceState[] =>
  states.map((state) => {
    const { id, tools: offered } = state;
    if (offered === undefined) return state;
    const faults = tools.flatMap(({ name, calls }) => {
      const found = calls && offered.find((each) => each.name === calls.tool)?.definition;
      const fault = calls?.source === id ? approvalFault(calls, found) : undefined;
      return fault === undefined ? [] : [`The tool ${name} of TOOLS_DIR fails: ${fault}.`];
    });
    return { ...state, detail: joinSentences(state.detail, ...faults) };
  });

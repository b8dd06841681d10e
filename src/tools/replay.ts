import type { ToolResult } from '../domain/diagnosis/tool-result.js';
import type { ProbeSource } from '../sources/ports.js';

/**
 * The captured result of a call, instead of a measurement of the target.
 * @throws if the captured call failed, or none like it was captured
 */
export async function replay(
  probes: ProbeSource,
  tool: string,
  args: { node: string },
  signal: AbortSignal,
): Promise<ToolResult> {
  const recording = await probes.result(tool, args, signal);
  if (recording === undefined)
    throw new Error(`not recorded: no ${tool} of ${args.node} with these arguments was captured`);
  if (recording.status !== 'success') throw new Error(recording.output);
  return JSON.parse(recording.output) as ToolResult;
}

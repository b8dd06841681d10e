import type { ToolRecording } from '../../domain/telemetry/records.js';
import { ProbeSource } from '../ports.js';
import { recordingIn } from './parse-changes.js';
import { readJsonLines } from './read-lines.js';

/** A diagnosis makes fewer calls than this; further ones are omitted. */
const MOST_RESULTS = 20_000;

/** Arguments for how a measurement is made, which do not select what is measured. */
const HOW = ['tries', 'timeoutMs'];

/** Results of probes that a bundle captured, read once. */
export class RecordedProbes extends ProbeSource {
  private results: Promise<Map<string, ToolRecording>> | undefined;

  constructor(private readonly files: readonly string[]) {
    super();
  }

  async result(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<ToolRecording | undefined> {
    signal.throwIfAborted();
    this.results ??= this.read();
    return (await this.results).get(keyOf(tool, args));
  }

  private async read(): Promise<Map<string, ToolRecording>> {
    const results = new Map<string, ToolRecording>();
    // The reading serves all calls: the signal of one must not end it.
    const signal = new AbortController().signal;
    for (const file of this.files)
      for await (const value of readJsonLines(file, signal)) {
        const recording = recordingIn(value);
        if (recording === undefined) continue;
        if (results.size === MOST_RESULTS) return results;
        results.set(keyOf(recording.tool, recording.args), recording);
      }
    return results;
  }
}

const keyOf = (tool: string, args: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([
    tool,
    ...Object.entries(args)
      .filter(([name]) => !HOW.includes(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  ]);

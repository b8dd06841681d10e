import type { RunModel } from '../../model/run-model.js';
import type { LogEvent } from '../../model/types.js';

/** Colours of the histogram, from the bottom: tokens of the stylesheet. */
export const LAYERS = ['--model', '--tool', '--accent', '--warn-fill'] as const;

function layerOf({ name }: LogEvent): number {
  switch (name) {
    case 'llm.tool_call':
    case 'llm.tool_result':
      return 1;
    case 'llm.stream':
    case 'llm.reasoning':
    case 'llm.usage':
      return 0;
    case 'system.warning':
    case 'system.error':
      return 3;
    default:
      return 2;
  }
}

/**
 * How many events of each layer came when. Only what is new is read, as long as the axis stays as
 * it is.
 */
export class Bins {
  private counts: Float32Array[] = [];
  private read = 0;
  private key = '';

  /** @returns by layer, the number of events of each bin */
  update(model: RunModel, span: number, bins: number): readonly Float32Array[] {
    const key = `${model.startTime} ${span} ${bins}`;
    if (key !== this.key || this.read > model.last) {
      this.key = key;
      this.read = 0;
      this.counts = LAYERS.map(() => new Float32Array(bins));
    }
    for (; this.read < model.last; this.read++) {
      const event = model.events[this.read];
      if (!event) break;
      const bin = Math.floor(((event.time - model.startTime) / span) * bins);
      const layer = this.counts[layerOf(event)];
      const at = Math.min(bins - 1, Math.max(0, bin));
      if (layer) layer[at] = (layer[at] ?? 0) + 1;
    }
    return this.counts;
  }
}

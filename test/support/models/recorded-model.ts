import { pushEvent } from '../../../console/src/model/fold/fold-event.js';
import { RunModel } from '../../../console/src/model/run-model.js';
import type { NamedEvent } from '../../../src/client/index.js';
import { RECORDED } from '../streams/logs.js';

/** The events of a recorded run. */
export const eventsOf = (name: string): NamedEvent[] => eventsIn(RECORDED[name] ?? []);

export const eventsIn = (frames: readonly string[]): NamedEvent[] =>
  frames.map((frame) => {
    const data = frame.split('\n').find((line) => line.startsWith('data: ')) ?? '';
    const event = JSON.parse(data.slice(6)) as NamedEvent;
    return { ...event, name: `${event.event.category}.${event.event.action}` } as NamedEvent;
  });

/** A recorded run as the console folds it, up to an event. */
export function modelOf(name: string, upTo = Infinity): RunModel {
  const model = new RunModel();
  for (const event of eventsOf(name)) if (event.sequence <= upTo) pushEvent(model, event);
  return model;
}

import type { EventName, RunEvent } from '../domain/event.js';

/** An event as a client gets it, with the frame's name, by which a `switch` tells its data. */
export type NamedEvent = { [Name in EventName]: RunEvent<Name> & { name: Name } }[EventName];

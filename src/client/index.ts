/** `consilium/client`: the client library of the service. It loads only `eventsource-parser`. */
export { Client } from './client.js';
export type {
  ChatRequest,
  FollowOptions,
  ModelRecord,
  TopologyRecord,
  RunRecord,
  StreamOptions,
  TriggeredRun,
  TriggerOptions,
  TriggerRequest,
} from './client.js';
export { listen, type Listener, type TroubleEvent } from './listen.js';
export { StreamError, type StreamTrouble } from './stream-error.js';
export { ConsiliumError, type ErrorCode, type Fault } from '../domain/errors.js';
export { isTerminal } from '../domain/events/event.js';
export type {
  EventData,
  EventName,
  NamedEvent,
  RunEvent,
  Source,
  TerminalEvent,
  Turn,
  Usage,
} from '../domain/events/event.js';
export type { Finding, Report, RootCause, Severity, Verdict } from '../domain/diagnosis/finding.js';

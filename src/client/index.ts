/**
 * The client library of the service: the package `consilium-client`, and `consilium/client` of the
 * service's own package. It loads only `eventsource-parser`.
 */
export { Client } from './client.js';
export type {
  ApprovalRecord,
  CallOptions,
  ChatRequest,
  ConversationCard,
  ConversationRecord,
  FollowOptions,
  ModelRecord,
  RunCard,
  RunFilter,
  RunRecord,
  StoredTopology,
  StreamOptions,
  TopologyRecord,
  TriggeredRun,
  TriggerOptions,
  TriggerRequest,
} from './types.js';
export { between, type Connection } from './connection.js';
export { listen, type Listener, type FailureEvent } from './listen.js';
export { StreamError, type StreamFailure } from './stream-error.js';
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

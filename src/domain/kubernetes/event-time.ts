import { type Fields, fieldsOf, textOf } from './fields.js';

/**
 * When an event happened last, as the API writes times; empty where it has none. Events of the
 * scheduler have no `lastTimestamp`: of the times that an event may have, the first of this order
 * counts (Kubernetes API, Event v1).
 */
export const eventTime = (event: Fields): string =>
  textOf(fieldsOf(event['series'])['lastObservedTime']) ||
  textOf(event['lastTimestamp']) ||
  textOf(event['eventTime']) ||
  textOf(fieldsOf(event['metadata'])['creationTimestamp']);

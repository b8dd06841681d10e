import type { FailureKind } from '../../../src/domain/diagnosis/failure-kind.js';
import type { Observations } from '../../../src/engine/observations.js';
import { alert, counter, sceneOf, step, type Part } from './scene.js';

/** A fault as other systems and tools show it, and what the report must say. */
export interface KnownFault {
  says: string;
  node: string;
  kind: FailureKind;
  seen: Observations;
}

const SHOP = 'web > orders > orders-db; web > cart > cart-cache; orders > payments';
/** What callers of a node that fails see of it. */
export const failingCallers = [
  step('web', 'http_server_errors_ratio', [0.001, 0.2]),
  step('orders', 'http_server_errors_ratio', [0.001, 0.3]),
];
export const slowCallers = [
  step('web', 'http_server_request_duration_seconds_p99', [0.2, 2.5]),
  step('orders', 'http_server_request_duration_seconds_p99', [0.1, 2.3]),
];
const healthy = [
  step('cart', 'http_server_request_duration_seconds_p99', [0.05, 0.05]),
  step('payments', 'http_server_request_duration_seconds_p99', [0.09, 0.09]),
  counter('cart', 'http_server_requests_seconds_count', [30, 30]),
  counter('payments', 'http_server_requests_seconds_count', [10, 10]),
];
export const page = alert('web', 'HighErrorRate', 'web: more than 5 % of the requests fail');
export const slowPage = alert('web', 'HighLatency', 'web: p99 above 1 s');

/** A fault in a shop whose other nodes are well. */
export const fault = (
  says: string,
  kind: FailureKind,
  node: string,
  ...parts: (Part | Part[])[]
): KnownFault => ({
  says,
  kind,
  node,
  seen: sceneOf(SHOP, ...healthy, ...parts),
});

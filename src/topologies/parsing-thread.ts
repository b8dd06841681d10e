/** Program of the thread of {@link parseInThread}: parses its input, and posts the result. */
import { parentPort, workerData } from 'node:worker_threads';
import { parseTopologyText } from './topology-text.js';

parentPort?.postMessage(parseTopologyText(workerData as string, 'body.yaml'));

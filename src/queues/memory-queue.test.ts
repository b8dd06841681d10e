import { describe } from '@jest/globals';
import { queueSuite } from '../../test/support/suites/queue-suite.js';
import { MemoryQueue } from './memory-queue.js';

describe('MemoryQueue', () =>
  queueSuite(() => ({ queue: new MemoryQueue(1), close: async () => undefined })));

import { describe } from '@jest/globals';
import { MemoryAlertStore } from '../../test/support/memory/memory-alerts.js';
import { alertStoreSuite } from '../../test/support/suites/alert-store-suite.js';

describe('MemoryAlertStore', () => alertStoreSuite(() => new MemoryAlertStore()));

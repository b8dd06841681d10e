/** What tests use of the service, loaded once for each Jest worker and not once for each test file. */
export { Redis } from 'ioredis';
export { startService } from '../../src/service.js';

import { Global, Module } from '@nestjs/common';
import { Cancellations } from './cancellations.js';
import { Queues } from './queues.js';

@Global()
@Module({ providers: [Queues, Cancellations], exports: [Queues, Cancellations] })
export class QueuesModule {}

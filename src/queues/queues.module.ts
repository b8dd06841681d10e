import { Global, Module } from '@nestjs/common';
import { BullmqQueue } from './bullmq-queue.js';
import { Cancellations } from './cancellations.js';
import { QueuePort } from './queue-port.js';

@Global()
@Module({
  providers: [{ provide: QueuePort, useClass: BullmqQueue }, Cancellations],
  exports: [QueuePort, Cancellations],
})
export class QueuesModule {}

import { Global, Module, type DynamicModule } from '@nestjs/common';
import { Behaviours } from './behaviours.js';
import { BehavioursController } from './behaviours.controller.js';

@Global()
@Module({})
export class BehavioursModule {
  /** @param folder of custom trees (BEHAVIOURS_DIR); undefined: only the shipped ones */
  static with(folder: string | undefined): DynamicModule {
    return {
      module: BehavioursModule,
      controllers: [BehavioursController],
      providers: [{ provide: Behaviours, useFactory: () => new Behaviours(folder) }],
      exports: [Behaviours],
    };
  }
}

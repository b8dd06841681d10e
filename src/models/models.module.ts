import { Global, Module } from '@nestjs/common';
import { ModelsController } from './models.controller.js';
import { Models } from './models.js';

@Global()
@Module({ providers: [Models], controllers: [ModelsController], exports: [Models] })
export class ModelsModule {}

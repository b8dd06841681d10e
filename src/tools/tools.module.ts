import { Global, Module } from '@nestjs/common';
import { ToolRegistry } from './tool-registry.js';
import { ToolsController } from './tools.controller.js';

@Global()
@Module({ providers: [ToolRegistry], controllers: [ToolsController], exports: [ToolRegistry] })
export class ToolsModule {}

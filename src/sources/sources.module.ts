import { Module } from '@nestjs/common';
import { Sources } from './sources.js';

@Module({ providers: [Sources], exports: [Sources] })
export class SourcesModule {}

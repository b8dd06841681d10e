import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Request, Response } from 'express';
import pLimit from 'p-limit';
import { ConsiliumError } from '../../domain/errors.js';
import { Authenticator } from './authenticator.js';

/** How often the credentials of open streams are checked again. */
const CHECK_MS = 10_000;
const CHECKS_AT_ONCE = 50;

/** Ends streams whose credential was revoked or has expired. Contract section 10. */
@Injectable()
export class OpenStreams implements OnApplicationShutdown {
  private readonly logger = new Logger(OpenStreams.name);
  private readonly open = new Map<Response, Request>();
  private timer: NodeJS.Timeout | undefined;
  private checking = false;

  constructor(private readonly authenticator: Authenticator) {}

  /** Checks the credential again while the response is open. */
  watch(request: Request, response: Response): void {
    this.open.set(response, request);
    response.once('close', () => this.open.delete(response));
    this.timer ??= setInterval(() => void this.checkOnce(), CHECK_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /**
   * A check of many streams may take longer than the interval; no second one is begun meanwhile.
   */
  private async checkOnce(): Promise<void> {
    if (this.checking) return;
    this.checking = true;
    await this.check().finally(() => (this.checking = false));
  }

  /** Frames are written completely, so that the end of a response is always between two. */
  private async check(): Promise<void> {
    const atOnce = pLimit(CHECKS_AT_ONCE);
    await Promise.all(
      [...this.open].map(([response, request]) => atOnce(() => this.checkOne(request, response))),
    );
  }

  private async checkOne(request: Request, response: Response): Promise<void> {
    try {
      await this.authenticator.recheck(request);
    } catch (error) {
      // If the store does not answer, nothing is known about a credential.
      if (!(error instanceof ConsiliumError)) this.logger.warn(`credentials: ${String(error)}`);
      else if (error.code === 'UNAUTHENTICATED' && response.headersSent) response.end();
    }
  }
}

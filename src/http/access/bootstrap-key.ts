import { readFile } from 'node:fs/promises';
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { DEFAULT_TENANT } from '../../domain/tenant.js';
import { ApiKeys } from './api-keys.js';

/**
 * Stores the first key of a service, which an operator provides in a file. A worker process does
 * not: its user of Redis may not write keys.
 */
@Injectable()
export class BootstrapKey implements OnApplicationBootstrap {
  private readonly logger = new Logger('ApiKeys');

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'role' | 'auth' | 'authBootstrapKeyFile'>,
    private readonly keys: ApiKeys,
  ) {}

  /** @throws Error if a file cannot be read, or contains no key */
  async onApplicationBootstrap(): Promise<void> {
    const { role, authBootstrapKeyFile: file } = this.config;
    if (role === 'worker') return;
    if (file === undefined) return this.hint();
    try {
      const key = (await readFile(file, 'utf8')).trim();
      await this.keys.put(key, { tenant: DEFAULT_TENANT, name: 'bootstrap', role: 'admin' });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `AUTH_BOOTSTRAP_KEY_FILE must hold one API key; \`consilium keys make > FILE\` writes one: ${reason}`,
        { cause: error },
      );
    }
  }

  /** Logs how to create a first key, if there is none. */
  private async hint(): Promise<void> {
    if (this.config.auth !== 'keys') return;
    // If the store cannot be reached, nothing is known about keys.
    const keys = await this.keys.list().catch(() => undefined);
    if (keys?.length === 0)
      this.logger.warn(
        'AUTH=keys, and there is no API key: every request will be refused. `consilium keys make > FILE` makes a first one; then start the service with AUTH_BOOTSTRAP_KEY_FILE=FILE',
      );
  }
}

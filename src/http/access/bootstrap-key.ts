import { readFile } from 'node:fs/promises';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG } from '../../config/config.module.js';
import type { Config } from '../../config/config.js';
import { DEFAULT_TENANT } from '../../domain/tenant.js';
import { ApiKeys } from './api-keys.js';

/** Stores the first key of a service, which an operator hands it in a file. */
@Injectable()
export class BootstrapKey implements OnApplicationBootstrap {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'authBootstrapKeyFile'>,
    private readonly keys: ApiKeys,
  ) {}

  /** @throws Error of a file that cannot be read, or holds no key */
  async onApplicationBootstrap(): Promise<void> {
    const { authBootstrapKeyFile: file } = this.config;
    if (file === undefined) return;
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
}

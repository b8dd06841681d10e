import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { ROLES, type Role } from '../../../src/domain/roles.js';
import { makeApiKey } from '../../../src/http/access/api-key.js';
import type { Api } from '../api.js';
import { Scene } from '../scene.js';
import { healthy, httpTarget } from './target.js';
import { topologyOf } from '../incidents/topology.js';

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/**
 * A service with AUTH=keys, a key of each role and a second one of `trigger`, and a topology of one
 * node.
 */
export class KeyedService {
  scene!: Scene;
  api!: Api;
  readonly keys = {} as Record<Role | 'other', string>;
  /** The body of a trigger. */
  readonly trigger = { topologyId: 0, userMessage: 'Something seems wrong.' };
  private folder!: string;

  async open(): Promise<void> {
    this.folder = await mkdtemp(join(tmpdir(), 'consilium-access-'));
    const { key } = makeApiKey();
    const file = join(this.folder, 'key');
    await writeFile(file, `${key}\n`);
    this.scene = new Scene();
    this.api = await this.scene.service({
      AUTH: 'keys',
      AUTH_BOOTSTRAP_KEY_FILE: file,
      FAILED_LOGINS_PER_MINUTE: '0',
    });
    this.keys.admin = key;
    for (const [name, role] of [
      ...ROLES.map((role) => [role, role]),
      ['other', 'trigger'],
    ] as const) {
      if (name === 'admin') continue;
      const { status, data } = await this.api.ask<{ key: string }>('POST', '/keys', {
        body: { name, role },
        headers: bearer(key),
      });
      expect(status).toBe(201);
      this.keys[name as Role | 'other'] = data.key;
    }
    const body = topologyOf({ shop: await httpTarget(this.scene.targets, healthy) });
    const stored = await this.api.ask('POST', '/topologies', { body, headers: bearer(key) });
    expect(stored.status).toBe(201);
    this.trigger.topologyId = body.id;
  }

  async close(): Promise<void> {
    await this.scene.close();
    await rm(this.folder, { recursive: true });
  }

  /** Starts a diagnosis. */
  async start(key: string, more: object = {}, headers: Record<string, string> = {}) {
    const answer = await this.api.ask<{ runId: string }>('POST', '/executions/trigger', {
      body: { ...this.trigger, ...more },
      headers: { ...bearer(key), ...headers },
    });
    return { status: answer.status, runId: answer.data?.runId };
  }
}

/** Starts such a service for the tests of a file. */
export function keyedService(): KeyedService {
  const service = new KeyedService();
  beforeAll(() => service.open());
  afterAll(() => service.close());
  return service;
}

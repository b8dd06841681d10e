import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Scene } from '../../support/scene.js';

describe('rules and subscribers', () => {
  let scene: Scene;
  let folder: string;
  beforeEach(() => {
    scene = new Scene();
    folder = mkdtempSync(join(tmpdir(), 'consilium-rules-'));
  });
  afterEach(async () => {
    await scene.close();
    rmSync(folder, { recursive: true });
  });

  it('are shown as they were loaded', async () => {
    const api = await scene.service({});
    const rules = (await api.ask<{ items: { id: string }[] }>('GET', '/rules')).data.items;
    expect(rules.find(({ id }) => id === 'repeated-failures')).toMatchObject({
      trigger: 'on_tool_failure',
      priority: 150,
      enabled: true,
      once: true,
      expression: 'history.total_failures >= 3',
      action: { type: 'notify_self', deliver_at: 'after_tool' },
      origin: 'shipped',
      file: 'repeated-failures.toml',
    });
    const subscribers = (await api.ask<{ items: { id: string }[] }>('GET', '/subscribers')).data
      .items;
    expect(subscribers.find(({ id }) => id === 'tool_failure')).toMatchObject({
      types: ['tool.call.failure', 'tool.call.timeout'],
      severityFilter: 'warning',
      priority: 'high',
      inject_at: 'after_tool',
      core: true,
      batching: { window_ms: 2_000, max_size: 10 },
      origin: 'shipped',
    });
  });

  it('prevents the start with invalid rules and reports their location', async () => {
    const file = join(folder, 'broken.toml');
    writeFileSync(file, '[rule]\nid = "x"\ntrigger = "on_turn_start"\n');
    await expect(scene.process({ RULES_DIR: folder })).rejects.toThrow(
      `Rules that cannot be used:\n  ${file}:1 rule.name`,
    );
    await expect(scene.process({ SUBSCRIBERS_DIR: folder })).rejects.toThrow(
      'Subscribers that cannot be used:',
    );
  });
});

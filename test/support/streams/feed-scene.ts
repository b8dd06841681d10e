import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Format } from '../../../src/formats/registry.js';
import { feedNode, TestRun } from './feed-node.js';
import { testRedis, type TestRedis } from '../redis.js';
import { TcpProxy } from '../processes/tcp-proxy.js';
import { TestSink } from '../memory/test-sink.js';

/** A process that serves followers and reaches Redis through a proxy; a new one for each test. */
export class FeedScene {
  corner!: TestRedis;
  proxy!: TcpProxy;
  node!: ReturnType<typeof feedNode>;

  async open(): Promise<void> {
    this.proxy = await TcpProxy.to(this.corner.url);
    this.node = feedNode(this.corner, this.proxy.url, { followerBufferBytes: 4_096 });
  }

  async close(): Promise<void> {
    await this.node.feed.onApplicationShutdown();
    await this.proxy.close();
  }

  begin(): Promise<TestRun> {
    return new TestRun(this.node.log, this.corner.redis).begin();
  }

  async follow(run: TestRun, after = 0, format: Format = 'executor') {
    const sink = new TestSink();
    const leave = await this.node.feed.follow(run.runId, after, sink, format);
    return { sink, leave, after, format };
  }

  /** Disconnects the subscribers of this process at the server, which other tests use, too. */
  async killSubscribers(): Promise<void> {
    for (const address of this.proxy.addresses)
      await this.corner.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub', 'ADDR', address);
  }
}

/** Opens a scene for each test of a file. */
export function feedScene(): FeedScene {
  const scene = new FeedScene();
  beforeAll(() => {
    Logger.overrideLogger(false);
    scene.corner = testRedis();
  });
  afterAll(() => scene.corner.close());
  beforeEach(() => scene.open());
  afterEach(() => scene.close());
  return scene;
}

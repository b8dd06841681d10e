import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Api } from '../../support/api.js';
import { Scene } from '../../support/scene.js';
import { erroring, healthy, httpTarget } from '../../support/processes/target.js';
import { topologyOf } from '../../support/incidents/topology.js';
import { startChromium } from '../chromium.js';

export const WIDE = { width: 1440, height: 900 };
export const PHONE = { width: 390, height: 844 };

/** Opens a page of a browser at its usual size. */
export async function openPage(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: WIDE });
  await page.goto(url);
  return page;
}

/** Waits until the page of a run receives its events. */
export const isLive = (page: Page): Promise<void> =>
  page.getByText('Live', { exact: true }).waitFor();

/** A page of the console with what went wrong in it. */
export interface ConsolePage {
  page: Page;
  /** Errors of the page, messages of its console, requests to other origins. */
  problems: string[];
}

/** A browser and a service that serves the console as its sources are now. */
export class ConsoleScene {
  private constructor(
    readonly scene: Scene,
    readonly api: Api,
    private readonly browser: Browser,
  ) {}

  static async open(env: Record<string, string> = {}): Promise<ConsoleScene> {
    const scene = new Scene();
    return new ConsoleScene(
      scene,
      await scene.service({ ALLOWED_HOSTS: '127.0.0.1', ...env }),
      await startChromium(),
    );
  }

  /** A shop whose database is broken; what depends on it, too. */
  async brokenShop(headers: Record<string, string> = {}): Promise<number> {
    const target = async (broken: boolean) =>
      httpTarget(this.scene.targets, broken ? erroring : healthy);
    return this.api.store(
      topologyOf({
        shop: { endpoint: (await target(true)).endpoint, dependsOn: ['payments', 'mail'] },
        payments: { endpoint: (await target(true)).endpoint, dependsOn: ['bank'] },
        bank: { endpoint: (await target(true)).endpoint },
        mail: { endpoint: (await target(false)).endpoint },
      }),
      headers,
    );
  }

  /** @param options `origin`: before `/console`, where it is not that of the service */
  async page(
    path: string,
    { origin: base = this.api.url, ...options }: BrowserContextOptions & { origin?: string } = {},
  ): Promise<ConsolePage> {
    const own = new URL(base).origin;
    const context = await this.browser.newContext({ viewport: WIDE, ...options });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        problems.push(`${message.type()}: ${message.text()} (${message.location().url})`);
    });
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== own && protocol !== 'data:' && protocol !== 'blob:')
        problems.push(`request: ${request.url()}`);
    });
    await page.goto(`${base}/console${path}`);
    return { page, problems };
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.scene.close();
  }
}

interface AxeResult {
  violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[];
}

/** What axe finds wrong with a page: rule, element, summary. */
export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResult>(
    'axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })',
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${String(target)} ${failureSummary ?? ''}`),
  );
}

import { afterEach, describe, expect, it } from '@jest/globals';
import { startCommand, untilNothingIsLeft, type Command } from '../../support/processes/command.js';

let command: Command | undefined;
afterEach(async () => {
  command?.child.kill('SIGKILL');
  if (command) expect(await untilNothingIsLeft(command)).toBe(0);
  command = undefined;
});

const demo = (...args: string[]): Command => (command = startCommand('src/cli/demo.ts', ...args));

describe('npm run demo', () => {
  it.each([
    [
      'redis-full',
      'Payments Redis: refuses writes because its memory is full',
      'Storefront ✗ → Checkout ✗ → Payments ✗ → Payments Redis ✗ root cause',
      /out-of-memory/,
    ],
    [
      'payments-slow',
      'Payments: answers in',
      'Storefront ! → Checkout ! → Payments ! root cause',
      /latency/,
    ],
    [
      'inventory-down',
      'Inventory: connection refused',
      'Storefront ✗ → Checkout ✗ → Inventory ✗ root cause',
      /unreachable/,
    ],
    [
      'certificate-expired',
      'Storefront: certificate of localhost expired',
      '',
      /certificate-expired/,
    ],
    [
      'checkout-crashing',
      'Checkout: keeps restarting',
      'Storefront ✗ → Checkout ✗ root cause',
      /crash-loop/,
    ],
  ])('finds %s', async (fault, cause, path, kind) => {
    const { code, stdout, stderr } = await demo('--fault', fault).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('✗ Root cause found\n');
    expect(stdout).toContain(`\nRoot cause\n  ✗ ${cause}`);
    expect(stdout).toContain(path);
    expect(/\nRoot cause\n[^\n]* {2}([a-z-]+), \d+ % sure\n/.exec(stdout)?.[1]).toMatch(kind);
    expect(stdout).toContain('\nNext steps\n');
    expect(await untilNothingIsLeft(command as Command)).toBe(0);
  });

  it('adds a recorded incident whose symptom, alert and latest deploy mislead', async () => {
    const { code, stdout, stderr } = await demo().ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [, act = ''] = stdout.split('\nSecond act\n');
    expect(act).toMatch(
      /Root cause\n {2}✗ royalties: connection pool exhausted, .* Export the shards/,
    );
    expect(act).toMatch(/checkout: the alert is about it, [^]*its errors name pricing/);
    expect(act).toMatch(
      /the latest deploy \(checkout, 11:53\) is not the cause[^]*after the first signs/,
    );
  });

  it('finds nothing without a fault', async () => {
    const { code, stdout } = await demo('--fault', 'none').ended;
    expect(code).toBe(0);
    expect(stdout).toContain('✓ Healthy\n');
    expect(stdout).not.toContain('Findings');
  });

  it('keeps running with --keep until Ctrl-C', async () => {
    const { printed, ended, child } = demo('--fault', 'inventory-down', '--keep');
    const [, events = '', from = ''] =
      /(http:\S+\/events).*Last-Event-ID: (\d+)/.exec(await printed(/Ctrl-C ends everything/)) ??
      [];
    const rest = await fetch(events, {
      headers: { accept: 'text/event-stream', 'last-event-id': from },
    });
    expect(
      /^event: (.*)$/m.exec((await rest.text()).split(`id: ${Number(from) + 1}\n`)[0] ?? '')?.[1],
    ).toBeDefined();
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0 });
    expect(await untilNothingIsLeft(command as Command)).toBe(0);
  });

  it('cancels and cleans up at Ctrl-C', async () => {
    const { printed, ended, child } = demo('--fault', 'payments-slow');
    await printed(/http_probe/);
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(130);
    expect(stdout).toContain('■ Cancelled');
    expect(await untilNothingIsLeft(command as Command)).toBe(0);
  });

  it.each([/private Redis/, /Starting the shop/, /http_probe/])(
    'leaves nothing after SIGKILL while it prints %s',
    async (moment) => {
      const { printed, child } = demo();
      await printed(moment);
      child.kill('SIGKILL');
      expect(await untilNothingIsLeft(command as Command)).toBe(0);
    },
  );

  it.each([
    [['--repair'], 'there is no terminal: add --yes'],
    [['--yes'], '--yes approves repairs: it needs --repair'],
  ])('refuses %j at once', async (args, message) => {
    const { code, stdout, stderr } = await demo(...args).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });

  it('lists the faults for an unknown one', async () => {
    const { code, stderr } = await demo('--fault', 'gremlins').ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(/There is no fault "gremlins"[^]*redis-full[^]*checkout-crashing/);
  });
});

import { describe, expect, it } from '@jest/globals';
import { EgressDeniedError, EgressPolicy } from './egress-policy.js';

const policy = EgressPolicy.of(undefined, undefined, []);

describe('C3: the egress policy', () => {
  it.each([
    '169.254.169.254',
    'fe80::1',
    'fe80::1%lo',
    'fd00:ec2::254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '0.1.2.3',
    '::',
    '224.0.0.1',
    'ff02::1',
    '255.255.255.255',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '2001:0:4136:e378:8000:63bf:5601:5601',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    'metadata.google.internal',
    'METADATA.google.internal.',
  ])('denies %s', async (host) => {
    await expect(policy.resolve({ host, port: 80 })).rejects.toThrow(EgressDeniedError);
  });

  it.each(['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.16689662'])(
    'denies the spelling %s of 169.254.169.254',
    async (host) => {
      // A resolver that does not read these spellings finds no such host, which is as good.
      await expect(policy.resolve({ host, port: 80 })).rejects.toThrow(
        /169\.254\.0\.0\/16 is denied|ENOTFOUND|EAI_AGAIN/,
      );
    },
  );

  it.each(['127.0.0.1', '::1', 'localhost', '10.1.2.3', '8.8.8.8', '::ffff:10.1.2.3'])(
    'allows %s where no rule names it',
    async (host) => {
      const [first] = await policy.resolve({ host, port: 80 });
      expect(first?.address).toMatch(/^[0-9a-f.:]+$/);
    },
  );

  it('says which rule denies', () => {
    const own = EgressPolicy.of(undefined, '10.0.0.0/8, *.bank.example:443', []);
    expect(own.denialOf({ host: '10.1.2.3', port: 1 })).toBe('10.0.0.0/8 is denied');
    expect(own.denialOf({ host: 'db.bank.example', port: 443 })).toContain('*.bank.example:443');
    expect(own.denialOf({ host: 'db.bank.example', port: 80 })).toBeUndefined();
    expect(own.denialOf({ host: 'bank.example', port: 443 })).toBeUndefined();
  });

  it('allows only what EGRESS_ALLOW names, by address or by name', async () => {
    const own = EgressPolicy.of('10.0.0.0/8:6379, [fd00::/8]:80-90, localhost', undefined, []);
    const denial = (host: string, port: number) => own.denialOf({ host, port });
    expect(denial('10.9.9.9', 6379)).toBeUndefined();
    expect(denial('::ffff:10.9.9.9', 6379)).toBeUndefined();
    expect(denial('fd12::1', 85)).toBeUndefined();
    expect(denial('10.9.9.9', 6380)).toBe('EGRESS_ALLOW does not name it');
    expect(denial('64:ff9b::10.9.9.9', 6379)).toBe('EGRESS_ALLOW does not name it');
    expect(denial('127.0.0.1', 80)).toBe('EGRESS_ALLOW does not name it');
    await expect(own.resolve({ host: 'localhost', port: 80 })).resolves.not.toHaveLength(0);
  });

  it('denies what is always denied, also where EGRESS_ALLOW names it', () => {
    const own = EgressPolicy.of('0.0.0.0/0', undefined, []);
    expect(own.denialOf({ host: '169.254.169.254', port: 80 })).toBe('169.254.0.0/16 is denied');
  });

  it.each(['10.0.0.0/99', '[fd00::/129]', '10.0.0.0/', '10.0.0', 'a b', 'shop:70000'])(
    'names the entry %j, which cannot be a rule, and what can',
    (entry) =>
      expect(() => EgressPolicy.of(`10.0.0.0/8,${entry}`, undefined, [])).toThrow(
        /^EGRESS_ALLOW: ".+" is no address, network or name: 10\.0\.0\.0\/8, /,
      ),
  );

  it.each(['127.0.0.1', 'localhost', '::1', '::ffff:127.0.0.1', '127.9.9.9'])(
    'denies the Redis of the service under the name %s',
    async (host) => {
      const own = EgressPolicy.of('0.0.0.0/0,[::/0],localhost', undefined, [
        { host: '127.0.0.1', port: 6379 },
      ]);
      await expect(own.resolve({ host, port: 6379 })).rejects.toThrow(/Redis of this service/);
      await expect(own.resolve({ host, port: 6380 })).resolves.not.toHaveLength(0);
    },
  );

  describe('of a tenant that does not operate the service', () => {
    const own = policy.ofPublic();
    const denial = (host: string) => own.denialOf({ host, port: 80 });

    it.each([
      '127.0.0.1',
      '127.9.9.9',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.0.1',
      '192.0.2.1',
      '198.18.0.1',
      '240.0.0.1',
      '::1',
      'fd12::1',
      'fec0::1',
      '::ffff:10.1.2.3',
      '64:ff9b::10.1.2.3',
      '64:ff9b::8.8.8.8',
      '2002:a01:203::1',
      '::10.1.2.3',
    ])('denies %s', (host) => {
      expect(denial(host)).toContain('public addresses only');
    });

    it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111', 'shop.example'])('allows %s', (host) =>
      expect(denial(host)).toBeUndefined(),
    );

    it('denies a name that stands for such an address', async () => {
      await expect(own.resolve({ host: 'localhost', port: 80 })).rejects.toThrow(
        'public addresses only',
      );
    });

    it('allows what EGRESS_ALLOW names, and nothing else', () => {
      const named = EgressPolicy.of('10.0.0.0/8', undefined, []).ofPublic();
      expect(named.denialOf({ host: '10.1.2.3', port: 80 })).toBeUndefined();
      expect(named.denialOf({ host: '8.8.8.8', port: 80 })).toBe('EGRESS_ALLOW does not name it');
    });

    it('keeps what the operator denies', () => {
      const named = EgressPolicy.of(undefined, '8.8.8.0/24', []).ofPublic();
      expect(named.denialOf({ host: '8.8.8.8', port: 80 })).toBe('8.8.8.0/24 is denied');
    });
  });

  it.each([
    '10.0.0.0/33',
    '10.0.0',
    'a b',
    '*',
    '*.*.x',
    '10.0.0.1:99999',
    '10.0.0.1:9-1',
    'x:y',
    ':80',
  ])('refuses the rule %j', (rule) => expect(() => EgressPolicy.of(rule, undefined, [])).toThrow());
});

import { describe, expect, it } from '@jest/globals';
import { PromptFiles } from './prompt-files.js';

/** What changes a system, by program. */
const CHANGES = [
  /\bkubectl (?:[\w-]+ )*(?:annotate|apply|attach|autoscale|cordon|cp|create|debug|delete|drain|edit|expose|label|patch|replace|run|scale|set|taint|uncordon)\b/,
  /\bkubectl exec (?!.* -- (?:cat|df|ls) )/,
  /\bkubectl rollout (?!history\b|status\b)/,
  /\bsystemctl (?:[\w-]+ )*(?:disable|edit|enable|isolate|kill|mask|reload|restart|set-property|start|stop|unmask)\b/,
  /\b(?:ALTER|CREATE|DELETE|DROP|GRANT|INSERT|KILL|REINDEX|RESET|REVOKE|TRUNCATE|UPDATE|VACUUM)\b/i,
  /\bpg_(?:cancel_backend|drop_|promote|reload_conf|rotate|switch_wal|terminate_backend)/i,
  /\bredis-cli\b.*\b(?:BGREWRITEAOF|BGSAVE|CONFIG (?:SET|REWRITE)|CLIENT (?:KILL|PAUSE)|DEL|FAILOVER|FLUSH\w*|REPLICAOF|RESET|SET|SHUTDOWN|SLOWLOG RESET)\b/i,
  /\brabbitmqctl (?:add|clear|close|delete|eval|forget|import|join|purge|reset|rotate|set|start|stop)/,
  /\bkafka-[\w-]+ .*--(?:alter|create|delete|execute|reset-offsets)\b/,
  /\bcurl\b.* (?:-X|--request|-d|--data\S*|-F|-T|--upload-file)\b/,
  /\bgit (?!log\b|show\b|diff\b|status\b)/,
  /\b(?:certbot (?:certonly|delete|renew|revoke|run)|nginx -s|kill |killall|pkill|rm |mv |cp |tee |dd |mount |umount |reboot|shutdown)/,
  /\bsed -i|\bmysqladmin .*(?:flush|kill|shutdown|reload|refresh)/,
];

/** Whether a shell writes a file: `>` outside of quotes and placeholders. */
const writesFile = (command: string): boolean =>
  /(?<!2)>/.test(command.replace(/'[^']*'|"[^"]*"|<\w+>/g, ''));

/** The verb that the text of a step needs, by what its command does. */
const VERBS: readonly [RegExp, RegExp][] = [
  [/\bkubectl delete\b/, /remove/],
  [/\bpg_drop_/, /drop/],
  [/\bpg_terminate_backend\b|\bKILL\b/, /end/],
  [/\bkubectl rollout undo\b/, /roll back/],
  [/\b(?:kubectl rollout|systemctl) restart\b/, /restart/],
  [/\bsystemctl start\b/, /start/],
  [/\bnginx -s reload\b/, /load the configuration/],
  [/\bcertbot renew\b/, /renew/],
  [/\bALTER SYSTEM SET autovacuum = on\b/, /turn it on/],
  [/\bBGSAVE\b/, /save anew/],
  [/\bflush-hosts\b/, /let the host in/],
  [/\bCONFIG SET timeout\b/, /end/],
  [/\bCONFIG SET maxmemory-policy\b/, /let it evict/],
  [/\bCONFIG SET max|\bset_vm_memory_high_watermark\b/, /raise/],
];

/** What cannot be taken back. */
const DESTROYS = /\bkubectl delete\b|\bpg_drop_|\bpg_terminate_backend\b|\bKILL\b/;

const steps = Object.entries(new PromptFiles().prompts.nextSteps).flatMap(([entry, given]) =>
  given.map(({ command = [], ...step }) => {
    const [access, text] = Object.entries(step)[0] as ['look' | 'change', string];
    return { entry, access, text, commands: [command].flat() };
  }),
);
const rows = (wanted: 'look' | 'change') =>
  steps.flatMap(({ entry, access, text, commands }) =>
    access === wanted ? commands.map((command) => [entry, command, text] as const) : [],
  );

describe('the commands of the catalogue of next steps', () => {
  it('of a look change nothing', () => {
    const changing = rows('look').filter(
      ([, command]) => writesFile(command) || CHANGES.some((one) => one.test(command)),
    );
    expect(changing).toEqual([]);
    expect(rows('look').length).toBeGreaterThan(100);
  });

  it('of a change do what its text says', () => {
    const known = rows('change').map(([entry, command, text]) => {
      const verb = VERBS.find(([does]) => does.test(command))?.[1];
      return [
        entry,
        command,
        verb?.test(text.toLowerCase()) ?? 'no verb is known for this command',
      ];
    });
    expect(known.filter(([, , fits]) => fits !== true)).toEqual([]);
  });

  it('destroy something only in a step that proposes nothing else first', () => {
    const others = rows('change').filter(
      ([, command, text]) =>
        DESTROYS.test(command) && !/^(?:If [^:]+: )?(?:remove|drop|end)\b/i.test(text),
    );
    expect(others).toEqual([]);
  });

  it.each(['kubectl get pods', 'kubectl get pods,endpoints -o wide'])(
    'of kubectl name a namespace or all: not %s',
    (bare) => {
      const isBare = (command: string) =>
        command
          .split(/[;|]/)
          .some(
            (one) =>
              /\bkubectl (?:get|top) (?:[\w,]*,)?(?:pods?|endpoints|services|events|pvc|secrets|configmaps)\b/.test(
                one,
              ) && !/ -A\b| -n <namespace>/.test(one),
          );
      expect(isBare(bare)).toBe(true);
      expect(rows('look').filter(([, command]) => isBare(command))).toEqual([]);
    },
  );
});

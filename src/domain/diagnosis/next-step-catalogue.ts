import type { FailureKind } from './failure-kind.js';
import type { NextStep } from './finding.js';

/** A step for any node; `{node}` stands for its name, words in angle brackets for what only its operator knows. */
export type CatalogueStep = Pick<NextStep, 'text' | 'access' | 'command'>;

const look = (text: string, command?: string): CatalogueStep => ({
  ...{ text, access: 'read' },
  ...(command !== undefined && { command }),
});
const change = (text: string, command?: string): CatalogueStep => ({
  ...{ text, access: 'change' },
  ...(command !== undefined && { command }),
});

/** What to look at and what to change, by kind of failure; in the order in which to try it. */
export const NEXT_STEPS: Record<FailureKind, readonly CatalogueStep[]> = {
  crash: [
    look(
      'Read the last lines that {node} logged before it ended.',
      'journalctl -u <unit> -n 200 --no-pager',
    ),
    look('Find out how it ended: an exit code, or a signal.', 'systemctl status <unit>'),
    change('Start it again once the cause is known.', 'systemctl start <unit>'),
  ],
  'crash-loop': [
    look(
      'Read why {node} ends each time: the log of the instance before this one.',
      'kubectl logs <pod> --previous',
    ),
    look(
      'Compare the time of the first crash with the last deployment.',
      'kubectl rollout history deployment/<name>',
    ),
    change(
      'Roll back to the version that did not crash.',
      'kubectl rollout undo deployment/<name>',
    ),
  ],
  'bad-command': [
    look(
      'Compare the command that {node} is started with to the one that its image or package documents.',
      'kubectl get pod <pod> -o jsonpath={.spec.containers[*].command}',
    ),
    change('Correct the command or its arguments, and deploy again.'),
  ],
  config: [
    look(
      'Compare the configuration of {node} with the last one that worked.',
      'git log -p -- <configuration file>',
    ),
    change('Restore the setting that changed, and load the configuration again.'),
  ],
  'image-pull': [
    look(
      'Read why the image of {node} cannot be pulled: name, tag or credentials.',
      'kubectl describe pod <pod>',
    ),
    change('Correct the image name or the pull secret.'),
  ],
  unschedulable: [
    look(
      'Read which resource or constraint keeps {node} from being scheduled.',
      'kubectl describe pod <pod>',
    ),
    change('Lower its requests, relax the constraint, or add a machine.'),
  ],
  capacity: [
    look('Find out which resource of {node} is used up, and since when.'),
    change('Raise the limit of that resource, or add an instance.'),
  ],
  volume: [
    look(
      'Check that the volume of {node} is mounted, writable and not full.',
      'df -h; mount | grep <path>',
    ),
    look('Read its log for write errors.', 'journalctl -u <unit> -n 200 --no-pager'),
    change('Free or enlarge the volume, or mount it again.'),
  ],
  'disk-full': [
    look('Find what fills the disk of {node}.', 'du -xh --max-depth=2 <path> | sort -h | tail -20'),
    look('Look for deleted files that a process still holds open.', 'lsof +L1'),
    change('Remove or rotate what is not needed, or enlarge the disk.'),
  ],
  'out-of-memory': [
    look(
      'Find out what takes the memory of {node}, and how far it is from its limit.',
      'redis-cli INFO memory; redis-cli --bigkeys',
    ),
    look('Check the limit and what happens when it is reached.', 'redis-cli CONFIG GET maxmemory*'),
    change(
      'Raise the limit, or allow old data to be evicted.',
      'redis-cli CONFIG SET maxmemory <bytes>; redis-cli CONFIG SET maxmemory-policy allkeys-lru',
    ),
  ],
  'memory-leak': [
    look('Check whether the memory of {node} grows without ever falling, and since which version.'),
    look('Take a heap profile of it.'),
    change('Restart it to gain time, and roll back to the version before the growth began.'),
  ],
  'cpu-saturated': [
    look('Find which processes use the processor of {node}.', 'top -b -n 1 | head -20'),
    look('Compare its request rate with the usual one.'),
    change('Add instances or cores, or stop the work that is not needed.'),
  ],
  'cpu-throttled': [
    look(
      'Check how often {node} is throttled by its limit.',
      'cat /sys/fs/cgroup/<group>/cpu.stat',
    ),
    change(
      'Raise its processor limit.',
      'kubectl set resources deployment/<name> --limits=cpu=<cores>',
    ),
  ],
  'connection-pool-exhausted': [
    look(
      'Count the connections of {node} by client and state.',
      "psql -c 'SELECT usename, application_name, state, count(*) FROM pg_stat_activity GROUP BY 1,2,3 ORDER BY 4 DESC'",
    ),
    look(
      'Look for transactions that stay open.',
      'psql -c "SELECT pid, now()-xact_start AS age, query FROM pg_stat_activity WHERE state=\'idle in transaction\' ORDER BY age DESC"',
    ),
    change(
      'End idle connections, and limit the pool of the client that holds most of them.',
      'psql -c "SELECT pg_terminate_backend(<pid>)"',
    ),
    change('Raise the number of connections, if memory allows it, or put a pooler in front.'),
  ],
  'slow-query': [
    look(
      'Find the commands or queries that take the time of {node}.',
      'redis-cli SLOWLOG GET 10; psql -c "SELECT query, mean_exec_time FROM pg_stat_statements ORDER BY 2 DESC LIMIT 10"',
    ),
    look('Read the plan of the slowest one.', 'psql -c "EXPLAIN (ANALYZE, BUFFERS) <query>"'),
    change('Add the index that is missing, or change the query.'),
  ],
  lock: [
    look(
      'Find which session holds the lock that others of {node} wait for.',
      'psql -c "SELECT pid, pg_blocking_pids(pid), query FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0"',
    ),
    change('End the session that holds it.', 'psql -c "SELECT pg_terminate_backend(<pid>)"'),
  ],
  'queue-lag': [
    look(
      'Check whether consumers of {node} are running, and how far they are behind.',
      'kafka-consumer-groups --bootstrap-server <host> --describe --group <group>',
    ),
    look('Compare the rate at which messages come with the rate at which they are handled.'),
    change('Start more consumers, or skip messages that cannot be handled.'),
  ],
  'queue-partition': [
    look(
      'Check the leaders and replicas of the partitions of {node}.',
      'kafka-topics --bootstrap-server <host> --describe --under-replicated-partitions',
    ),
    change('Bring the missing broker back, or move its partitions.'),
  ],
  'rate-limited': [
    look('Find out which limit of {node} is reached, and which client uses it up.'),
    change('Send less: back off, cache, or spread the calls; or ask for a higher limit.'),
  ],
  'retry-storm': [
    look('Compare the number of retries that reach {node} with the number of first attempts.'),
    change('Limit retries, with growing pauses and a circuit breaker at the caller.'),
  ],
  cache: [
    look(
      'Check the hit rate of {node}, and whether it was emptied.',
      'redis-cli INFO stats | grep keyspace',
    ),
    change('Warm the cache, or lengthen the lifetime of its entries.'),
  ],
  timeout: [
    look(
      'Find out what {node} waits for while it does not answer: its threads, its pool, its database.',
      'kill -QUIT <pid>; cat /proc/<pid>/stack',
    ),
    look('Check whether it still handles other requests.'),
    change('Restart the instance that hangs, and set a time limit on the call that it waits for.'),
  ],
  latency: [
    look('Find where {node} spends the time of a request: its own work, a dependency, or a queue.'),
    look('Compare with the time before the last change.', 'git log --since=<time>'),
    change('Roll back the change that made it slow, or add capacity.'),
  ],
  'network-delay': [
    look('Measure delay and loss on the way to {node}.', 'mtr -rwc 50 <host>'),
    change('Route around the slow link, or tell the owner of the network.'),
  ],
  unreachable: [
    look(
      'Check whether the process of {node} runs and listens on that port.',
      'ss -ltnp; systemctl status <unit>',
    ),
    look('If it runs: check firewall and routes on the way to it.', 'nc -vz <host> <port>'),
    change('Start it, or correct the address that it listens on.', 'systemctl start <unit>'),
  ],
  'wrong-address': [
    look(
      'Compare the address that {node} uses for its dependency with the one that the dependency listens on.',
    ),
    look('Try that address from the machine of {node}.', 'curl -v http://<host>:<port>/'),
    change('Correct the address or port in the configuration of {node}, and load it again.'),
  ],
  'network-policy': [
    look(
      'List the policies and firewall rules between {node} and its clients.',
      'kubectl get networkpolicy -A',
    ),
    change('Allow the connection that is denied.'),
  ],
  dns: [
    look('Look the name of {node} up, at each name server.', 'dig +short <name> @<server>'),
    look('Check whether the record exists, and when it was changed.'),
    change('Restore the record, or correct the name in the configuration of the clients.'),
  ],
  'certificate-expired': [
    look(
      'Read the dates of the certificate that {node} shows.',
      'openssl s_client -connect <host>:<port> -servername <name> </dev/null | openssl x509 -noout -dates -subject -issuer',
    ),
    look(
      'Find out why it was not renewed in time.',
      'certbot certificates; journalctl -u certbot -n 50',
    ),
    change('Renew the certificate, and load it.', 'certbot renew && systemctl reload <unit>'),
  ],
  auth: [
    look(
      'Check which credential the client of {node} sends, whether it expired, and what it is allowed to do.',
    ),
    look('Read the log of {node} for refused logins.'),
    change('Renew or correct the credential, and load it where it is used.'),
  ],
  'schema-mismatch': [
    look(
      'Compare the schema of {node} with the one that its clients expect.',
      "psql -c '\\d <table>'",
    ),
    look('Check whether a migration failed or has not run.'),
    change('Run the missing migration, or roll the client back.'),
  ],
  exception: [
    look(
      'Read the error that {node} logs for the failing request.',
      'journalctl -u <unit> -p err -n 100 --no-pager',
    ),
    look('Compare the time of the first error with the last change.', 'git log --since=<time>'),
    change('Roll back that change.', 'kubectl rollout undo deployment/<name>'),
  ],
  'wrong-result': [
    look(
      'Compare the answer of {node} with the expected one, and find the request that first differed.',
    ),
    change('Roll back the change that altered the answer, or correct the expectation.'),
  ],
  regression: [
    look(
      'Find the version of {node} with which it began.',
      'kubectl rollout history deployment/<name>',
    ),
    change('Roll back to the version before it.', 'kubectl rollout undo deployment/<name>'),
  ],
  load: [
    look('Compare the request rate of {node} with what it is sized for.'),
    change(
      'Add instances, or shed load that can wait.',
      'kubectl scale deployment/<name> --replicas=<n>',
    ),
  ],
  'traffic-surge': [
    look('Find where the additional requests to {node} come from.'),
    change(
      'Limit the source, or add instances for the time of the surge.',
      'kubectl scale deployment/<name> --replicas=<n>',
    ),
  ],
  'noisy-neighbour': [
    look('Find which other work shares the machine of {node}.', 'top -b -n 1 | head -20'),
    change('Move one of them to another machine, or limit it.'),
  ],
  'provider-outage': [
    look('Read the status page of the provider of {node}.'),
    change('Switch to another provider or region, or degrade the feature until it is back.'),
  ],
  region: [
    look('Compare {node} in this region with other regions.'),
    change('Move traffic to a region that is well.'),
  ],
  infrastructure: [
    look('Check the machine, the disk and the network that {node} runs on.', 'dmesg -T | tail -50'),
    change('Move it to another machine, or restore the link between its parts.'),
  ],
  'bad-data': [
    look('Find the record that {node} fails on.'),
    change('Set the record aside, and correct what wrote it.'),
  ],
  memory: [
    look(
      'Find which processes take the memory of {node}.',
      'ps axo rss,pid,comm --sort=-rss | head -20',
    ),
    change('Stop or restart what takes too much, or add memory.'),
  ],
  unknown: [
    look(
      'Read the log of {node} for the time of the measurement.',
      'journalctl -u <unit> -n 200 --no-pager',
    ),
    look('List what changed in it and around it before that.', 'git log --since=<time>'),
  ],
};

import { EventEmitter } from 'node:events';
import { queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What a process holds on to, counted after a collection of garbage. */
export interface Vitals {
  /** Open sockets, servers, timers, requests under way: each by its kind. */
  handles: Record<string, number>;
  /** Emitters of events that can be reached: sockets, streams, connections to Redis, … */
  emitters: number;
  /** Listeners on all of them. */
  emitterListeners: number;
  heapMb: number;
  /** Buffers, which are beside the heap. */
  externalMb: number;
  /**
   * Only where the whole heap was looked through, which takes a second in which nothing else is
   * done.
   */
  targets?: {
    /** Signals that can be reached, aborted or not. */
    signals: number;
    /** Listeners on signals and on other event targets. */
    listeners: number;
  };
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const emitters = new Set<WeakRef<EventEmitter>>();
const gone = new FinalizationRegistry<WeakRef<EventEmitter>>((ref) => emitters.delete(ref));

/**
 * From here on every emitter that is made in this process is known, for as long as it can be
 * reached.
 */
export function watchEmitters(): void {
  // What EventEmitter's constructor calls; subclasses of Node call it as a function.
  const made = EventEmitter as unknown as { init: (this: EventEmitter, options: unknown) => void };
  const { init } = made;
  made.init = function (options) {
    const ref = new WeakRef<EventEmitter>(this);
    emitters.add(ref);
    gone.register(this, ref);
    init.call(this, options);
  };
}

/** @param thoroughly whether the whole heap is looked through */
export function takeVitals(thoroughly: boolean): Vitals {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  const alive = [...emitters].flatMap((ref) => ref.deref() ?? []);
  const handles: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1;
  const listenersOf = (emitter: EventEmitter) =>
    emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
  return {
    handles,
    emitters: alive.length,
    emitterListeners: alive.reduce((sum, emitter) => sum + listenersOf(emitter), 0),
    heapMb: mb(heapUsed),
    externalMb: mb(external),
    ...(thoroughly && {
      targets: { signals: count(AbortSignal), listeners: count(targetListener()) },
    }),
  };
}

const mb = (bytes: number): number => Math.round(bytes / 2 ** 20);

const count = (of: new () => object): number => queryObjects(of, { format: 'count' });

/**
 * The class of which Node makes one for each listener of an event target. It has no name outside;
 * the list that a target keeps begins with one.
 */
function targetListener(): new () => object {
  const target = new EventTarget();
  target.addEventListener('probe', () => undefined);
  const key = Object.getOwnPropertySymbols(target).find(
    ({ description }) => description === 'kEvents',
  );
  const lists = (target as unknown as Record<symbol, Map<string, { next: object }>>)[key as symbol];
  return lists?.get('probe')?.next.constructor as new () => object;
}

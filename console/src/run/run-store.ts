import { isTerminal, type NamedEvent } from '../../../src/client/index.js';
import { followRun, type LinkState } from '../api/follow-run.js';
import { pushEvent } from '../model/fold/fold-event.js';
import { RunModel } from '../model/run-model.js';
import { DrawPace } from './draw-pace.js';
import { DrawTurns } from './draw-turns.js';

/** At most so long is folded at a time: a backlog of 50,000 events does not stop the page. */
const FOLD_MS = 8;
/** A page that is not seen folds what came this often. */
const HIDDEN_MS = 250;
/** How many events are folded between two looks at the clock. */
const SLICE = 64;

/** The model of one run, the connection that feeds it, and when the page is to be drawn. */
export class RunStore {
  readonly model = new RunModel();
  link: LinkState = { state: 'connecting' };
  /** When the service was last heard on this stream, comments too. */
  heardAt = Date.now();
  private readonly listeners = new Set<() => void>();
  private version = 0;
  private queue: NamedEvent[] = [];
  private frame = 0;
  /** Whether something has come that no picture shows. */
  private isStale = false;
  /** Whether the last frame drew the page, and no part of it. */
  private wasDrawn = false;
  private readonly pace = new DrawPace();
  private readonly turns = new DrawTurns();
  private following: AbortController | undefined;

  constructor(readonly runId: string) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  readonly snapshot = (): number => this.version;

  /** Events that were read and are not folded yet. */
  get backlog(): number {
    return this.queue.length;
  }

  get isLive(): boolean {
    const { state } = this.link;
    return this.model.terminal === null && state !== 'gone' && state !== 'missing';
  }

  /** Reads the log from where the model stands. A connection that there is already is given up. */
  start(): void {
    this.stop();
    const following = new AbortController();
    this.following = following;
    const listener = {
      after: () => this.queue.at(-1)?.sequence ?? this.model.last,
      onBatch: (events: NamedEvent[]) => {
        for (const event of events) this.queue.push(event);
        this.schedule();
      },
      onState: (link: LinkState) => {
        this.link = link;
        this.schedule();
      },
      onHeard: () => (this.heardAt = Date.now()),
    };
    void followRun(this.runId, listener, following.signal);
  }

  stop(): void {
    this.following?.abort();
    this.following = undefined;
  }

  /** Whether the end is in sight: a hidden page gives up no stream that is about to end. */
  get hasEnd(): boolean {
    return this.model.terminal !== null || isTerminal(this.queue.at(-1)?.name ?? '');
  }

  /** Draws the page soon, as the clock has moved on; not more often than events are drawn. */
  readonly tick = (): void => this.schedule();

  /**
   * Draws a part of the page by itself, in a frame in which the page is not drawn.
   * @returns how to give the turn up
   */
  takeTurn(draw: () => void, notBefore: number): () => void {
    const giveUp = this.turns.ask(draw, notBefore);
    this.awaitFrame();
    return giveUp;
  }

  private schedule(): void {
    this.isStale = true;
    this.awaitFrame();
  }

  private awaitFrame(): void {
    if (this.frame !== 0) return;
    if (document.hidden) {
      this.frame = window.setTimeout(() => this.advance(performance.now()), HIDDEN_MS);
      return;
    }
    this.frame = requestAnimationFrame((now) => this.advance(now));
  }

  /**
   * Folds what is waiting, for as long as a frame allows, and draws the page or a part of it if it
   * is time.
   */
  private advance(now: number): void {
    this.frame = 0;
    this.fold(performance.now() + FOLD_MS);
    const isTurn = this.wasDrawn && this.turns.areDue(now);
    const isDue = this.isStale && !isTurn && this.pace.isDue(now, this.queue.length);
    this.wasDrawn = isDue;
    if (isDue) this.draw(now);
    else this.turns.take(now);
    if (this.queue.length > 0) this.isStale = true;
    if (this.isStale || this.turns.areWaited) this.awaitFrame();
  }

  private draw(now: number): void {
    this.isStale = false;
    this.pace.begins(now);
    const began = performance.now();
    this.version++;
    for (const listener of this.listeners) listener();
    // React draws after this; what that costs is known when the next task begins.
    setTimeout(() => {
      const ended = performance.now();
      this.pace.ended(ended, ended - began);
    });
  }

  private fold(until: number): void {
    let taken = 0;
    for (const event of this.queue) {
      pushEvent(this.model, event);
      taken++;
      if (taken % SLICE === 0 && performance.now() > until) break;
    }
    this.queue = taken === this.queue.length ? [] : this.queue.slice(taken);
  }
}

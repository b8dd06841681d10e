import { subscriberFile, type Subscriber } from '../domain/notifications/subscriber.js';
import { loadFiles, shippedPath, type LoadedFile } from './load-files.js';

const { shape } = subscriberFile;

/** Subscribers by id: the shipped ones and those of SUBSCRIBERS_DIR. */
export class Subscribers {
  readonly loaded: readonly LoadedFile<Subscriber>[];
  /** Enabled subscribers. */
  readonly active: readonly Subscriber[];

  /**
   * @param folder of custom subscribers; undefined: none
   * @throws ConsiliumError `VALIDATION_FAILED` with every fault
   */
  constructor(folder?: string, shippedFolder: string = shippedPath('subscribers')) {
    this.loaded = loadFiles(
      {
        title: 'Subscribers',
        schema: subscriberFile,
        known: {
          '': Object.keys(shape),
          subscriber: Object.keys(shape.subscriber.shape),
          events: Object.keys(shape.events.shape),
          batching: ['window_ms', 'max_size', 'dedupe_key', 'dedupe_window_ms'],
          output: Object.keys(shape.output.shape),
        },
        idOf: ({ subscriber }) => subscriber.id,
        idPath: 'subscriber.id',
        isCore: ({ output }) => output.core,
        isEnabled: ({ subscriber }) => subscriber.enabled,
      },
      shippedFolder,
      folder,
    );
    this.active = this.loaded
      .map(({ value }) => value)
      .filter(({ subscriber }) => subscriber.enabled);
  }
}

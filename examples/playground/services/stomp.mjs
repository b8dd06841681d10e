import { connect } from 'node:net';

/**
 * A connection to RabbitMQ by STOMP 1.2 (https://stomp.github.io/stomp-specification-1.2.html):
 * sends short texts to a queue, or takes them from it. It connects again after a second.
 */
export class Stomp {
  #socket;
  #isOpen = false;
  #queue;
  #take;

  /** @param {number} port */
  constructor(port) {
    this.port = port;
    this.#open();
  }

  /** @param {(text: string) => void} take */
  subscribe(queue, take) {
    this.#queue = queue;
    this.#take = take;
    if (this.#isOpen) this.#frame('SUBSCRIBE', { id: '0', destination: `/queue/${queue}` });
  }

  /** @throws where there is no connection */
  send(queue, text) {
    if (!this.#isOpen) throw new Error('there is no connection to the broker');
    this.#frame('SEND', { destination: `/queue/${queue}` }, text);
  }

  #open() {
    let held = '';
    const socket = connect(this.port, '127.0.0.1');
    this.#socket = socket.setEncoding('utf8');
    socket.on('connect', () =>
      this.#frame('CONNECT', {
        'accept-version': '1.2',
        host: '/',
        login: 'guest',
        passcode: 'guest',
      }),
    );
    socket.on('data', (text) => {
      const frames = (held + text).split('\0');
      held = frames.pop();
      for (const frame of frames) this.#receive(frame.trimStart());
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isOpen = false;
      setTimeout(() => this.#open(), 1000);
    });
  }

  #receive(frame) {
    if (frame.startsWith('CONNECTED')) {
      this.#isOpen = true;
      if (this.#queue !== undefined) this.subscribe(this.#queue, this.#take);
    }
    if (frame.startsWith('MESSAGE')) this.#take(frame.slice(frame.indexOf('\n\n') + 2));
  }

  #frame(command, headers, body = '') {
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    this.#socket.write(`${command}\n${lines.join('')}\n${body}\0`);
  }
}

import { once } from 'node:events';
import { connect } from 'node:net';

/** Asks a browser for one thing; rejects with what it says against it. */
export type Ask = (method: string, params?: object, session?: string) => Promise<unknown>;

export interface Line {
  readonly ask: Ask;
  close(): void;
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The DevTools protocol and WebDriver BiDi: one JSON object for each message. */
export async function openSocket(url: string): Promise<Line> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const { ask, answered } = questions();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Reply;
    if (id !== undefined) answered(id, error, result);
  });
  return {
    ask: (method, params = {}, session) =>
      ask((id) =>
        socket.send(JSON.stringify({ id, method, params, ...(session && { sessionId: session }) })),
      ),
    close: () => socket.close(),
  };
}

/** Marionette: arrays behind their length, on a plain connection. */
export async function openMarionette(port: number): Promise<Line> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const { ask, answered } = questions();
  let read: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    read = Buffer.concat([read, bytes]);
    for (;;) {
      const colon = read.indexOf(':');
      const end = colon + 1 + Number(read.subarray(0, colon));
      if (colon < 0 || read.length < end) return;
      const message: unknown = JSON.parse(read.subarray(colon + 1, end).toString());
      read = read.subarray(end);
      // The first message is a greeting.
      if (Array.isArray(message)) answered(message[1] as number, message[2], message[3]);
    }
  });
  return {
    ask: (method, params = {}) =>
      ask((id) => {
        const text = JSON.stringify([0, id, method, params]);
        socket.write(`${Buffer.byteLength(text)}:${text}`);
      }),
    close: () => socket.destroy(),
  };
}

/** Questions by number, and who waits for their answers. */
function questions() {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  const ask = (send: (id: number) => void): Promise<unknown> => {
    const waits = Promise.withResolvers<unknown>();
    waiting.set((last += 1), waits);
    send(last);
    return waits.promise;
  };
  const answered = (id: number, error: unknown, result: unknown): void => {
    const waits = waiting.get(id);
    waiting.delete(id);
    if (error === undefined || error === null) waits?.resolve(result);
    else waits?.reject(new Error(JSON.stringify(error)));
  };
  return { ask, answered };
}

import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends one command to a browser. Rejects with the browser's error. */
export type Ask = (method: string, params?: object, session?: string) => Promise<unknown>;

export interface ProtocolClient {
  readonly ask: Ask;
  close(): void;
}

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** Connects by the DevTools protocol or WebDriver BiDi. Each message is one JSON object. */
export async function openSocket(url: string): Promise<ProtocolClient> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const { ask, settleReply } = trackQuestions();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as Reply;
    if (id !== undefined) settleReply(id, error, result);
  });
  return {
    ask: (method, params = {}, session) =>
      ask((id) =>
        socket.send(JSON.stringify({ id, method, params, ...(session && { sessionId: session }) })),
      ),
    close: () => socket.close(),
  };
}

/** Connects by Marionette over TCP. Each message is a JSON array, with its length before it. */
export async function openMarionette(port: number): Promise<ProtocolClient> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const { ask, settleReply } = trackQuestions();
  let receivedBytes: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    receivedBytes = Buffer.concat([receivedBytes, bytes]);
    for (;;) {
      const colon = receivedBytes.indexOf(':');
      const end = colon + 1 + Number(receivedBytes.subarray(0, colon));
      if (colon < 0 || receivedBytes.length < end) return;
      const message: unknown = JSON.parse(receivedBytes.subarray(colon + 1, end).toString());
      receivedBytes = receivedBytes.subarray(end);
      // The first message is a greeting.
      if (Array.isArray(message)) settleReply(message[1] as number, message[2], message[3]);
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

/** Numbers the commands, and resolves their promises when the answers come. */
function trackQuestions() {
  const openReplies = new Map<number, PromiseWithResolvers<unknown>>();
  let last = 0;
  const ask = (send: (id: number) => void): Promise<unknown> => {
    const reply = Promise.withResolvers<unknown>();
    openReplies.set((last += 1), reply);
    send(last);
    return reply.promise;
  };
  const settleReply = (id: number, error: unknown, result: unknown): void => {
    const reply = openReplies.get(id);
    openReplies.delete(id);
    if (error === undefined || error === null) reply?.resolve(result);
    else reply?.reject(new Error(JSON.stringify(error)));
  };
  return { ask, settleReply };
}

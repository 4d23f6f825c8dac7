import { createServer as createHttp1Server, type Server } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

/** One request as it was received, with the spelling and the order of its header names. */
export interface Recorded {
  readonly protocol: 'HTTP/1.0' | 'HTTP/1.1' | 'HTTP/2';
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export interface Recorder {
  /** The URL of the HTTP/1 server. */
  readonly http1: string;
  /** The URL of the HTTP/2 server without TLS (prior knowledge). */
  readonly http2: string;
  /** The first request since the last call. Undefined when no request came. */
  take(): Recorded | undefined;
  close(): void;
}

const PAGE = '<!doctype html><title>recorded</title>';

/** Two servers on loopback that answer every request and record the first one. */
export async function startRecorder(): Promise<Recorder> {
  let first: Recorded | undefined;
  const answerHeaders = { 'content-type': 'text/html' };
  const http1Server = createHttp1Server((req, res) => {
    first ??= {
      protocol: req.httpVersion === '1.0' ? 'HTTP/1.0' : 'HTTP/1.1',
      method: req.method ?? '',
      headers: pairs(req.rawHeaders),
    };
    req.resume();
    res.writeHead(200, answerHeaders).end(PAGE);
  });
  const http2Server = createHttp2Server();
  http2Server.on('stream', (stream: ServerHttp2Stream, headers, _flags, rawHeaders) => {
    first ??= {
      protocol: 'HTTP/2',
      method: headers[':method'] ?? '',
      headers: pairs(rawHeaders).map(([name, value]) => [
        name === ':authority' ? 'host' : name,
        value,
      ]),
    };
    stream.respond({ ':status': 200, ...answerHeaders });
    stream.end(PAGE);
  });
  return {
    http1: await listen(http1Server),
    http2: await listen(http2Server),
    take() {
      const recorded = first;
      first = undefined;
      return recorded;
    },
    close() {
      http1Server.closeAllConnections();
      http1Server.close();
      http2Server.close();
    },
  };
}

/** Returns header fields as pairs. Of the pseudo-header fields only `:authority` is kept. */
function pairs(raw: readonly string[]): (readonly [string, string])[] {
  const list: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] ?? '';
    if (!name.startsWith(':') || name === ':authority') list.push([name, raw[i + 1] ?? '']);
  }
  return list;
}

function listen(server: Server | Http2Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      // The cast is safe, because the address of a TCP server is always an AddressInfo.
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}`);
    });
  });
}

import { type Origin, OriginAddress } from '@guard/config/settings/values/values';
import { onTestFinished, vi } from 'vitest';
import { type GatewayLimits, GATEWAY_LIMITS } from '../base/limits.ts';
import { Http1Origin } from '../origin/http1/http1-origin.ts';
import type { OpenOrigin } from '../origin/origin.ts';
import type { Script, ScriptedOrigin } from './origin-client.ts';

export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A script that sends an answer in one piece. The connection stays open after it. */
export const keepOpenAfter = (text: string): Script => ({
  pieces: [Buffer.from(text, 'latin1')],
  ending: 'keep',
});

/** A client of one origin: ours, or another one. It is destroyed when the test ends. */
export function openClient(
  address: Origin | string,
  limits: Partial<GatewayLimits> = {},
  Client: new (address: Origin, limits: GatewayLimits) => OpenOrigin = Http1Origin,
): OpenOrigin {
  const originAddress = typeof address === 'string' ? OriginAddress.parse(address) : address;
  const origin = new Client(originAddress, { ...GATEWAY_LIMITS, ...limits });
  onTestFinished(() => origin.destroy());
  return origin;
}

/** From now on, clients sweep only when the test calls the returned function. Sockets work as usual. */
export function holdSweeps(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return (ms) => {
    vi.advanceTimersByTime(ms);
  };
}

export const allClosed = ({ sockets }: ScriptedOrigin) => sockets.every((socket) => socket.closed);

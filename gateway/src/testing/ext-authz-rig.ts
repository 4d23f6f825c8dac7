import { onTestFinished } from 'vitest';
import { VISITOR } from '../../../test/kit/peers/asking-proxies.ts';
import { connectAsEnvoy, type HttpAttributes } from '../../../test/kit/peers/envoy-client.ts';
import { startForwardAuth } from './forward-auth-rig.ts';
import type { RigOptions } from './gateway-rig.ts';

export const CHECKED_HEADERS = {
  ':authority': 'shop.example',
  ':method': 'POST',
  ':path': '/login?a=1',
  'user-agent': 'Browser/1',
  'x-forwarded-for': VISITOR,
  'x-forwarded-proto': 'https',
};
/** Envoy's description of the visitor's request `POST https://shop.example/login?a=1`. */
export const LOGIN: HttpAttributes = {
  id: '7',
  method: 'POST',
  scheme: 'https',
  host: 'shop.example',
  path: '/login?a=1',
  protocol: 'HTTP/2',
  headers: CHECKED_HEADERS,
};
/** A gateway that Envoy asks over gRPC, and a client that asks in the same way as Envoy. */
export async function startExtAuthz(options: Partial<RigOptions> = {}, unixPath?: string) {
  const rig = await startForwardAuth(options);
  const url = await rig.gateway.listenExtAuthz(
    unixPath === undefined
      ? { kind: 'tcp', host: '127.0.0.1', port: 0 }
      : { kind: 'unix', path: unixPath },
  );
  const envoy = connectAsEnvoy(url);
  onTestFinished(() => {
    envoy.close();
  });
  const status = async (http: HttpAttributes) => {
    const { status: result, denied_response: denied } = await envoy.check(http);
    return result.code === 0 ? 'passes' : denied?.status.code;
  };
  return { ...rig, envoy, envoyUrl: url, status };
}

/** The request of `LOGIN` with additional headers. */
export const withHeaders = (extraHeaders: Readonly<Record<string, string>>) => ({
  ...LOGIN,
  headers: { ...CHECKED_HEADERS, ...extraHeaders },
});
export const withoutHeader = (name: string) => ({
  ...LOGIN,
  headers: Object.fromEntries(Object.entries(CHECKED_HEADERS).filter(([field]) => field !== name)),
});

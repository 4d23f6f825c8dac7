import type { DecisionEvent } from '@guard/config/contract/event';
import type { Validate } from '@guard/config/contract/ports';
import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import { Site } from '@guard/config/settings/schema';
import { createGateway, type GatewayOptions } from '@guard/gateway';
import type { TestValidator } from './validator.ts';

const ANY_PORT = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;

/** The real gateway in this process, for one site with any host name. */
export interface LocalGateway {
  readonly http: string;
  /** Empty when the gateway has no certificate. */
  readonly https: string;
  readonly close: () => Promise<void>;
}

interface Options {
  readonly origin: string;
  readonly clock?: () => number;
  readonly certificate?: TlsCertificate;
}

/** Starts a gateway for this validator. The gateway adds its events to the list of the validator. */
export function startGateway(
  { validator, events }: TestValidator,
  options: Options,
): Promise<LocalGateway> {
  const validate = validator.forOrganisation('acme');
  return openGateway(validate, validator.collect, events, options);
}

/** Starts a gateway for any function that validates. This gateway has no collector. */
export function startGatewayOf(
  validate: Validate,
  events: DecisionEvent[],
  options: Options,
): Promise<LocalGateway> {
  return openGateway(validate, undefined, events, options);
}

async function openGateway(
  validate: Validate,
  collect: GatewayOptions['sites'][number]['collect'],
  events: DecisionEvent[],
  { origin, clock = Date.now, certificate }: Options,
): Promise<LocalGateway> {
  const settings = Site.parse({ hosts: ['*'], organisation: 'acme', origin });
  const gateway = createGateway({
    trustedProxies: [],
    observe: false,
    sites: [{ settings, validate, collect, validator: 'in-process' }],
    ...(certificate && { certificates: [certificate] }),
    events: { record: (event) => events.push(event) },
    clock,
    log: () => undefined,
    metrics: { count: () => undefined, gauge: () => undefined },
  });
  const http = await gateway.listen(ANY_PORT);
  const https = certificate === undefined ? '' : await gateway.listenTls(ANY_PORT);
  return { http, https, close: () => gateway.close() };
}

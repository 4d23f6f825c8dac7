import type { DecisionEvent } from '@guard/config/contract/event';
import type {
  Clock,
  Collect,
  Metrics,
  Validate,
  ValidateOutcome,
} from '@guard/config/contract/ports';
import type { Tracing } from '@guard/config/contract/tracing';
import type { ValidateRequest } from '@guard/config/contract/validate-request';
import type { Cookie, ForeignValidateResponse } from '@guard/config/contract/validate-response';
import type { TransportFacts } from '@guard/config/contract/transport';
import { Site } from '@guard/config/settings/schema';
import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import { onTestFinished } from 'vitest';
import {
  type AcmeChallenges,
  createGateway,
  type Gateway,
  type GatewayLimits,
  type GatewaySettings,
} from '../index.ts';
import { type HttpOrigin, startOrigin } from './recording-origin.ts';

/** By default the gateway lets every request pass to one origin. These options change it. */
export interface RigOptions {
  readonly origin: string | readonly string[];
  readonly hosts?: readonly string[];
  readonly originTimeout?: string;
  readonly protect?: readonly string[];
  readonly skip?: readonly string[];
  readonly trustedProxies?: readonly string[];
  readonly forwardedHeader?: GatewaySettings['forwardedHeader'];
  readonly observe?: boolean;
  readonly sampleBody?: string;
  readonly validate?: Validate;
  readonly collect?: Collect;
  readonly remote?: boolean;
  readonly limits?: Partial<GatewayLimits>;
  /** With certificates the gateway also listens for https. */
  readonly certificates?: readonly TlsCertificate[];
  /** The gateway listens on this unix socket instead of on a free port of 127.0.0.1. */
  readonly unixPath?: string;
  readonly host?: string;
  /** The unix socket on which it listens for https. */
  readonly tlsUnixPath?: string;
  readonly proxyProtocol?: boolean;
  readonly redirectHttps?: boolean;
  readonly challenges?: AcmeChallenges;
  readonly clock?: Clock;
  readonly tracing?: Tracing;
}

export interface Rig {
  readonly gateway: Gateway;
  readonly port: number;
  readonly url: string;
  /** The port for https. 0 when there are no certificates. */
  readonly tlsPort: number;
  /** Every question to the validator. */
  readonly questions: ValidateRequest[];
  /** What the visitor's TLS handshake showed, for each question. */
  readonly transports: (TransportFacts | undefined)[];
  /** The settings of the gateway. A test can change them and call `reload`. */
  readonly settings: GatewaySettings;
  readonly events: DecisionEvent[];
  readonly logEntries: {
    readonly event: string;
    readonly fields: Readonly<Record<string, unknown>>;
  }[];
  /** The value of the counter with this name and label. */
  readonly counterValue: (name: string, label: string) => number;
  /** The present value of a gauge. Undefined when it is not registered. */
  readonly gaugeValue: (name: string) => ReturnType<ReadGauge> | undefined;
}

type ReadGauge = Parameters<Metrics['gauge']>[1];

function siteOf(options: RigOptions): Site {
  return Site.parse({
    hosts: options.hosts ?? ['shop.example'],
    organisation: 'acme',
    origin: options.origin,
    origin_timeout: options.originTimeout,
    ...(options.protect === undefined ? {} : { protect: options.protect }),
    ...(options.skip === undefined ? {} : { skip: options.skip }),
    ...(options.sampleBody === undefined ? {} : { sample_body: options.sampleBody }),
  });
}

/** A listening gateway with everything that it reports. It is closed when the test ends. */
export async function startGateway(options: RigOptions): Promise<Rig> {
  const questions: ValidateRequest[] = [];
  const transports: (TransportFacts | undefined)[] = [];
  const events: DecisionEvent[] = [];
  const logEntries: { event: string; fields: Readonly<Record<string, unknown>> }[] = [];
  const counters = new Map<string, number>();
  const gauges = new Map<string, ReadGauge>();
  const validate: Validate = (request, context) => {
    questions.push(request);
    transports.push(context.transport);
    return (options.validate ?? allow)(request, context);
  };
  const settings = siteOf(options);
  const running: GatewaySettings = {
    trustedProxies: options.trustedProxies ?? [],
    forwardedHeader: options.forwardedHeader,
    observe: options.observe ?? false,
    sites: [
      {
        settings,
        validate,
        collect: options.collect,
        validator: options.remote === true ? 'remote' : 'in-process',
      },
    ],
    certificates: options.certificates ?? [],
    redirectHttps: options.redirectHttps,
  };
  const gateway = createGateway({
    ...running,
    events: { record: (event) => events.push(event) },
    clock: options.clock ?? Date.now,
    log: (_level, event, fields = {}) => logEntries.push({ event, fields }),
    metrics: {
      count: (name, label = '', by = 1) => {
        const key = `${name}/${label}`;
        counters.set(key, (counters.get(key) ?? 0) + by);
      },
      gauge: (name, read) => gauges.set(name, read),
    },
    proxyProtocol: options.proxyProtocol ?? false,
    tracing: options.tracing,
    challenges: options.challenges,
    limits: { drainMs: 2_000, ...options.limits },
  });
  onTestFinished(() => gateway.close());
  const url = await gateway.listen(
    options.unixPath === undefined
      ? { kind: 'tcp', host: options.host ?? '127.0.0.1', port: 0 }
      : { kind: 'unix', path: options.unixPath },
  );
  const tlsUrl =
    options.certificates === undefined
      ? ':0'
      : await gateway.listenTls(
          options.tlsUnixPath === undefined
            ? { kind: 'tcp', host: '127.0.0.1', port: 0 }
            : { kind: 'unix', path: options.tlsUnixPath },
        );
  return {
    gateway,
    settings: running,
    tlsPort: Number(tlsUrl.slice(tlsUrl.lastIndexOf(':') + 1)),
    transports,
    port: Number(url.slice(url.lastIndexOf(':') + 1)),
    url,
    questions,
    events,
    logEntries,
    counterValue: (name, label) => counters.get(`${name}/${label}`) ?? 0,
    gaugeValue: (name) => gauges.get(name)?.(),
  };
}

/** A gateway with one origin, which records its requests and answers `hello`. */
export async function startGatewayWithOrigin(
  options: Partial<RigOptions> = {},
): Promise<Rig & { readonly origin: HttpOrigin }> {
  const origin = await startOrigin();
  return { ...(await startGateway({ origin: origin.address, ...options })), origin };
}

/** A validator that gives the same answer to every question. */
export function validateWith(response: Partial<ForeignValidateResponse>): Validate {
  const outcome: ValidateOutcome = {
    kind: 'answered',
    response: { success: true, decision: 'allow', ...response },
  };
  return () => outcome;
}

export const allow = validateWith({ decision: 'allow' });

/** A cookie in the form in which a validator sets it. */
export const GUARD_COOKIE: Cookie = {
  name: '_guard',
  value: 'v',
  domain: '',
  path: '/',
  secure: false,
  same_site: 'Lax',
  max_age: 60,
};

/** Base64 of a UTF-8 text, as in `response_html`. */
export function encodeHtml(text: string): string {
  return Buffer.from(text).toString('base64');
}

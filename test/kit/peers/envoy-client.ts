import { join } from 'node:path';
import {
  Client,
  credentials,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

/** Envoy's own definitions, from gRPC's library for Envoy's control plane. */
const PARTS = join(import.meta.dirname, '../../../node_modules/@grpc/grpc-js-xds/deps');
export const OFFICIAL_PROTOS = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map(
  (part) => join(PARTS, part),
);

export interface HeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  readonly append_action: string;
}

/** The message envoy.service.auth.v3.CheckResponse. */
export interface CheckResponse {
  readonly status: { readonly code: number };
  readonly http_response: 'ok_response' | 'denied_response';
  readonly ok_response?: {
    readonly headers: readonly HeaderOption[];
    readonly headers_to_remove: readonly string[];
    readonly response_headers_to_add: readonly HeaderOption[];
  };
  readonly denied_response?: {
    readonly status: { readonly code: string | number };
    readonly headers: readonly HeaderOption[];
    readonly body: string;
  };
}

/** The fields of envoy.service.auth.v3.AttributeContext.HttpRequest that tests use. */
export type HttpAttributes = Readonly<Record<string, unknown>>;

export interface EnvoyClient {
  /** Sends a question about a request with these attributes, as Envoy does. Rejects with the error of gRPC. */
  check(http: HttpAttributes): Promise<CheckResponse>;
  /** Sends these bytes in place of a message. */
  checkBytes(message: Buffer): Promise<CheckResponse>;
  close(): void;
}

const { path, requestSerialize, responseDeserialize } = checkMethod();

function checkMethod(): MethodDefinition<object, CheckResponse> {
  const definitions = loadSync('envoy/service/auth/v3/external_auth.proto', {
    includeDirs: OFFICIAL_PROTOS,
    keepCase: true,
    defaults: true,
    oneofs: true,
    enums: String,
    longs: Number,
  });
  const service = definitions['envoy.service.auth.v3.Authorization'] as ServiceDefinition;
  return service['Check'] as MethodDefinition<object, CheckResponse>;
}

function messageOf(http: HttpAttributes): Buffer {
  return requestSerialize({ attributes: { request: { http } } });
}

/** Returns the question in a gRPC frame, for a client that opens its own streams. */
export function framedCheck(http: HttpAttributes): Buffer {
  const message = messageOf(http);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** Connects a gRPC client with Envoy's official messages. `url` is the URL of `listen.ext_authz`. */
export function connectAsEnvoy(url: string): EnvoyClient {
  const client = new Client(url.replace('http://', ''), credentials.createInsecure());
  const send = (message: Buffer) =>
    new Promise<CheckResponse>((resolve, reject) => {
      const takeResponse = (error: ServiceError | null, response?: CheckResponse) => {
        if (response === undefined) reject(error ?? new Error('no response'));
        else resolve(response);
      };
      client.makeUnaryRequest(
        path,
        (bytes: Buffer) => bytes,
        responseDeserialize,
        message,
        takeResponse,
      );
    });
  return {
    check: (http) => send(messageOf(http)),
    checkBytes: send,
    close: () => {
      client.close();
    },
  };
}

/** The names and values of a list of header options. */
export function fieldsOf(options: readonly HeaderOption[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(options.map(({ header }) => [header.key, header.value]));
}

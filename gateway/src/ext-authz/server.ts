import { createServer, Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import {
  Metadata,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { ListenAddress } from '@guard/config/settings/values/values';
import { type AcceptOptions, acceptConnections } from '../listen/accept.ts';
import { notePeer } from '../listen/connection.ts';
import { listen } from '../listen/listen.ts';
import type { ExtAuthz } from './ext-authz.ts';
import type { CheckRequest, CheckResponse } from './messages.ts';

const PROTO = fileURLToPath(new URL('../../proto', import.meta.url));
const SERVICE = 'envoy.service.auth.v3.Authorization';

const EXT_AUTHZ_LIMITS = {
  /** This is far above the limit of read-check.ts for headers. */
  maxMessageBytes: 1024 * 1024,
  /**
   * Questions of one connection that may be under way at once: as many as a cluster of Envoy sends by default. Envoy
   * treats a refused stream as a failed question, and it sends the first streams before it knows this limit.
   */
  maxStreams: 1_024,
  /** The memory that Node keeps for one connection. */
  sessionMegabytes: 32,
  /**
   * The most connections of one untrusted address, and of all untrusted addresses. Each connection can hold 13 MB in
   * refused questions whose messages never end.
   */
  connectionsPerUntrustedAddress: 8,
  untrustedConnections: 16,
} as const;

/**
 * Each visitor who leaves before the answer makes Envoy reset a question. By default Node closes a connection after
 * 1000 resets, and Envoy then treats all questions on it as failed. So a visitor could make requests pass.
 */
const ANY_NUMBER_OF_RESETS = { streamResetBurst: 0xffff_ffff, streamResetRate: 0xffff_ffff };

/** The gRPC server that Envoy asks. ext-authz-side.ts imports this module late, because the module loads the library. */
export class ExtAuthzServer {
  readonly #server = createServer();
  readonly #grpc: Server;
  readonly #sockets = new Map<string, Socket>();
  /** Used for all peers on unix sockets. They have no address that distinguishes their calls. */
  readonly #localSocket = new Socket();

  /** `current` returns the stages with the current settings. */
  constructor(current: () => ExtAuthz, accept: AcceptOptions) {
    this.#grpc = new Server({
      'grpc.max_receive_message_length': EXT_AUTHZ_LIMITS.maxMessageBytes,
      'grpc.max_concurrent_streams': EXT_AUTHZ_LIMITS.maxStreams,
      'grpc-node.max_session_memory': EXT_AUTHZ_LIMITS.sessionMegabytes,
      // An idle connection is not closed: Envoy could ask at that moment, and treats a question that is cut off as
      // failed. A ping shows whether Envoy is still there.
      'grpc.keepalive_time_ms': accept.limits.idleTimeoutMs,
      'grpc.keepalive_timeout_ms': accept.limits.keepAliveTimeoutMs,
      'grpc.enable_channelz': 0,
      // Only the first interceptor gets the library's own call object.
      interceptors: [denyTooLarge(current), this.#refuseUntrusted(current)],
    });
    this.#grpc.addService(serviceDefinition(), this.#implementation(current));
    // The library has no option for these two limits. resets.test.ts notices when the object has another name.
    Object.assign(Reflect.get(this.#grpc, 'commonServerOptions'), ANY_NUMBER_OF_RESETS);
    const injector = this.#grpc.createConnectionInjector(ServerCredentials.createInsecure());
    this.#server.maxConnections = accept.limits.maxConnections;
    notePeer(this.#localSocket, { kind: 'local' });
    const limits = {
      ...accept.limits,
      maxConnectionsPerAddress: EXT_AUTHZ_LIMITS.connectionsPerUntrustedAddress,
      maxUntrustedConnections: EXT_AUTHZ_LIMITS.untrustedConnections,
    };
    acceptConnections(this.#server, { ...accept, limits, proxyProtocol: false }, (socket, peer) => {
      notePeer(socket, peer);
      // The name that the library gives to the peer of a call.
      const name = `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`;
      this.#sockets.set(name, socket);
      socket.once('close', () => {
        // A connection that was reset can close after a new connection from the same port was accepted.
        if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
      });
      cutUntrusted(socket, () => accept.trusts(peer), accept.limits.idleTimeoutMs);
      injector.injectConnection(socket);
    });
  }

  listen(address: ListenAddress): Promise<string> {
    return listen(this.#server, address, { scheme: 'http', shared: undefined });
  }

  /**
   * Stops the server. Resolves when the questions under way are answered. After `drainMs` it ends the questions that
   * are left.
   */
  async close(drainMs: number): Promise<void> {
    if (!this.#server.listening) return;
    const serverClosed = new Promise((resolve) => this.#server.close(resolve));
    const drainTimer = setTimeout(() => {
      this.#grpc.forceShutdown();
      for (const socket of this.#sockets.values()) socket.destroy();
    }, drainMs);
    this.#grpc.tryShutdown(() => undefined);
    await serverClosed;
    clearTimeout(drainTimer);
  }

  #implementation(current: () => ExtAuthz): UntypedServiceImplementation {
    return {
      Check: (
        call: { request: CheckRequest; cancelled: boolean; getPeer: () => string },
        answer: (error: { code: status } | null, response?: CheckResponse) => void,
      ) => {
        const peerSocket = this.#socketOf(call.getPeer());
        void current()
          .check(call.request, peerSocket, () => call.cancelled)
          .then((response) => {
            if (response === undefined) answer({ code: status.INTERNAL });
            else answer(null, response);
          });
      },
    };
  }

  /** Refuses untrusted peers before it reads their message, which could have any size. */
  #refuseUntrusted(current: () => ExtAuthz): ServerInterceptor {
    return (_method, call) =>
      new ServerInterceptingCall(call, {
        start: (next) => {
          const refusal = current().refuse(this.#socketOf(call.getPeer()));
          if (refusal === undefined) {
            next();
            return;
          }
          respond(call, refusal);
        },
      });
  }

  /** The connection of a call. The library calls a peer `unknown` when the peer is on a unix socket or has gone. */
  #socketOf(peer: string): Socket {
    const isUnix = typeof this.#server.address() === 'string';
    return this.#sockets.get(peer) ?? (isUnix ? this.#localSocket : new Socket());
  }
}

/**
 * Closes the connection of an untrusted peer after a while, so that strangers cannot use up the limit of
 * connections.
 */
function cutUntrusted(socket: Socket, isTrusted: () => boolean, afterMs: number): void {
  const timer = setInterval(() => {
    if (!isTrusted()) socket.destroy();
  }, afterMs);
  timer.unref();
  socket.once('close', () => {
    clearInterval(timer);
  });
}

/**
 * The library ends a call with an error when it sees that the message is too large. For Envoy an error is no answer,
 * and with `failure_mode_allow` a visitor with such large headers would pass.
 */
function denyTooLarge(current: () => ExtAuthz): ServerInterceptor {
  return (_method, call) => {
    const sendStatus = call.sendStatus.bind(call);
    call.sendStatus = (finalStatus) => {
      call.sendStatus = sendStatus;
      if (finalStatus.code !== status.RESOURCE_EXHAUSTED) sendStatus(finalStatus);
      else respond(call, current().denyTooLarge());
    };
    return new ServerInterceptingCall(call);
  };
}

function respond(call: ServerInterceptingCallInterface, response: CheckResponse): void {
  call.sendMetadata(new Metadata());
  call.sendMessage(response, () => undefined);
  call.sendStatus({ code: status.OK, details: '' });
}

function serviceDefinition(): ServiceDefinition {
  const definitions = loadSync('envoy/service/auth/v3/external_auth.proto', {
    includeDirs: [PROTO],
    defaults: true,
    enums: String,
  });
  // The cast is safe: the proto file above defines this service.
  return definitions[SERVICE] as ServiceDefinition;
}

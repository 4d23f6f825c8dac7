import type { IncomingMessage } from 'node:http';
import { plainAnswer, serve } from '../message/own-answer.ts';
import { NodeResponse } from '../http1/node-response.ts';
import type { ForwardPorts, Handle } from './forward-ports.ts';
import { OpenUpgrades } from './open-upgrades.ts';
import { BUSY, originAnswer } from './origin-failure.ts';
import { Handshake } from './upgrade-handshake.ts';
import { watchTunnel } from './upgrade-tunnel.ts';
import { isKey } from './websocket-key.ts';

export interface Upgrades {
  /** Takes the 'upgrade' event of the server. */
  readonly handle: (req: IncomingMessage, head: Buffer) => void;
  /** Tells both sides of every tunnel that Guard goes away, and cuts them when called again. */
  readonly close: () => void;
}

/**
 * WebSocket handshakes take the same way as any request: same site, same decision, same cleaning of
 * headers. What was admitted goes to the origin, and the sockets are joined when it has switched protocols.
 */
export function createUpgrades(handle: Handle, ports: ForwardPorts): Upgrades {
  const { limits, metrics } = ports;
  const open = new OpenUpgrades(limits);

  return {
    handle: (req, head) => {
      const { socket } = req;
      const { res, release } = keepForAnswer(req, limits.idleTimeoutMs);
      if (!isKey(req.headers['sec-websocket-key'] ?? '')) {
        metrics.count('guard_gateway_requests_total', 'refused');
        serve(req, res, plainAnswer(400, 'Invalid Sec-WebSocket-Key.'), limits.lingerMs);
        return;
      }
      handle(req, res, (visit, plan) => {
        if (!open.take(socket, visit.client.ip)) {
          plan.event?.record(BUSY.status);
          metrics.count('guard_gateway_requests_total', 'refused');
          serve(req, visit.res, originAnswer(BUSY.status), limits.lingerMs);
          return;
        }
        const handshake = new Handshake(ports, visit, plan, (origin, join) => {
          release();
          // A field of the 101 is bytes, each written as it came.
          socket.setDefaultEncoding('latin1');
          if (head.length > 0) socket.unshift(head);
          join();
          open.endBy(socket, watchTunnel(socket, origin, limits.idleTimeoutMs));
        });
        handshake.start(req);
        // The library ends the time-out of the socket, which is still to be answered.
        socket.setTimeout(limits.idleTimeoutMs);
      });
    },
    close: () => {
      open.close();
    },
  };
}

interface Kept {
  readonly res: NodeResponse;
  /** The socket is for something else from now on. */
  readonly release: () => void;
}

/**
 * The answer on the socket of a handshake. Node took all of its listeners away with the upgrade, so that
 * it would not hear that the visitor leaves, takes nothing, or can take more.
 */
function keepForAnswer(req: IncomingMessage, idleMs: number): Kept {
  const { socket } = req;
  const res = new NodeResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => {
    socket.destroySoon();
  });

  const goOn = () => res.emit('drain');
  const cut = () => socket.destroy();
  // Sees the end of what the visitor sends, and leaves what comes before it to the tunnel.
  const look = () => {
    if (socket.readableLength === 0) socket.read();
  };
  // 'close' follows and says all there is to know.
  socket.on('error', () => undefined);
  socket.setTimeout(idleMs).on('timeout', cut);
  socket.on('drain', goOn).on('end', cut).on('readable', look);
  return {
    res,
    release: () => {
      socket.off('drain', goOn).off('end', cut).off('readable', look).off('timeout', cut);
      res.detachSocket(socket);
    },
  };
}

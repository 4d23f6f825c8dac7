import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * Makes a WebSocket handshake on a loopback port, and sends a few bytes. Resolves with the status and the echoed bytes.
 * The bytes are empty when no tunnel was opened.
 */
export async function openTunnel(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number; readonly echo: string }> {
  const socket = connect(port, '127.0.0.1');
  let receivedText = '';
  socket.setEncoding('latin1').on('data', (part: string) => (receivedText += part));
  const closeEvent = once(socket, 'close');
  const fields = {
    ...headers,
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write([`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n'));
  while (!receivedText.includes('\r\n\r\n')) await Promise.race([once(socket, 'data'), closeEvent]);
  const status = Number(receivedText.slice(9, 12));
  receivedText = '';
  if (status === 101) {
    socket.write('over and back');
    while (receivedText.length < 'over and back'.length)
      await Promise.race([once(socket, 'data'), closeEvent]);
  }
  socket.destroy();
  return { status, echo: receivedText };
}

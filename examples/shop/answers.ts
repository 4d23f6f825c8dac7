import type { ServerResponse } from 'node:http';

/** The policy of the pages. It allows only the shop's own style, script, pictures, stream and socket. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

export function sendHtml(response: ServerResponse, status: number, html: string): ServerResponse {
  return send(response, status, 'text/html; charset=utf-8', html);
}

export function sendJson(response: ServerResponse, status: number, value: unknown): ServerResponse {
  return send(response, status, 'application/json', JSON.stringify(value));
}

/** Sends a complete body with its length. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
): ServerResponse {
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'content-security-policy': CONTENT_SECURITY_POLICY,
    'x-content-type-options': 'nosniff',
  });
  return response.end(body);
}

/** Answers 303, so that the browser continues with a GET, and a reload does not send the form again. */
export function seeOther(
  response: ServerResponse,
  location: string,
  cookie: string,
): ServerResponse {
  response.writeHead(303, {
    location,
    'content-length': 0,
    'set-cookie': cookie,
  });
  return response.end();
}

import type { Facts } from './facts.ts';

/**
 * Whether the request says that a proxy or CDN had it in hands before. Those put headers into another
 * order, add their own and rewrite Accept-Encoding, so that such details say nothing of the visitor.
 */
export function passedProxy(headers: Facts['headers']): boolean {
  return (
    headers['x-forwarded-for'] !== undefined ||
    headers['via'] !== undefined ||
    headers['forwarded'] !== undefined ||
    headers['x-forwarded-proto'] !== undefined ||
    headers['x-real-ip'] !== undefined ||
    headers['cdn-loop'] !== undefined ||
    headers['x-amzn-trace-id'] !== undefined
  );
}

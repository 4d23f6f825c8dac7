import { randomUUID } from 'node:crypto';
import type { DecisionEvent } from '@guard/config/contract/event';

/** A complete event of a plain block. `fields` replaces some of its values. */
export function sampleEvent(fields: Partial<DecisionEvent> = {}): DecisionEvent {
  return {
    createdAt: Date.now(),
    requestId: randomUUID(),
    organisation: 'acme',
    site: 'shop.example',
    action: 'block',
    decision: 'block',
    response: 'block',
    statusCode: 403,
    rule: 'everything else',
    monitor: false,
    observe: false,
    rateLimited: false,
    blockReasons: ['http_client_user_agent', 'datacenter_ip'],
    blockReasonCategories: ['bot_identity', 'suspicious_network'],
    crawler: undefined,
    method: 'GET',
    scheme: 'https',
    host: 'shop.example',
    path: '/login',
    query: 'a=1',
    referrerOrigin: '',
    ip: '203.0.113.7',
    country: 'DE',
    userAgent: 'curl/8.5.0',
    session: '',
    challenge: 'none',
    reference: '',
    validator: 'in-process',
    durationUs: 12,
    headers: { accept: '*/*', 'user-agent': 'curl/8.5.0' },
    ...fields,
  };
}

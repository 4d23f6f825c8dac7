import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { SignIns } from './sign-ins.ts';
import { createFindViewer, membershipOf } from './viewer.ts';

const ORGANISATIONS = { shop: 'acme', others: 'rival' };

test('a text can list groups with commas, semicolons or bars; of several mapped groups, the first one in the settings is used', () => {
  expect(membershipOf('staff, others', ORGANISATIONS)?.organisation).toBe('rival');
  expect(membershipOf('others;shop', ORGANISATIONS)?.organisation).toBe('acme');
  expect(membershipOf('shopping|__proto__', ORGANISATIONS)).toBeUndefined();
});

test('each text of a list is one group, also with a comma', () => {
  expect(membershipOf(['staff', 'others'], ORGANISATIONS)?.organisation).toBe('rival');
  expect(membershipOf(['my team,shop', ' shop'], ORGANISATIONS)).toBeUndefined();
  expect(membershipOf([['shop'], { shop: true }, 1], ORGANISATIONS)).toBeUndefined();
});

test('only a peer in trusted_proxies can name groups, and removing the mapping of a group ends its sign-ins', async () => {
  const signIns = new SignIns(Date.now);
  const groups = { shop: 'acme' };
  const oidc = { issuer: '', client_id: '', client_secret: '', claim: '', scope: '', groups };
  const viewersWith = (dashboard: object) =>
    createFindViewer({
      settings: {
        organisations: [{ id: 'acme' }],
        trusted_proxies: ['192.0.2.0/24'],
        dashboard: { hosts: [], ...dashboard },
      } as unknown as Parameters<typeof createFindViewer>[0]['settings'],
      authenticate: () => undefined,
      signIns,
    });
  const viewerOf = async (dashboard: object, remoteAddress: string, headers: object) => {
    const findViewer = viewersWith(dashboard);
    const app = Fastify();
    app.get('/', (request, reply) => reply.send(findViewer(request)?.via ?? 'stranger'));
    return (await app.inject({ url: '/', remoteAddress, headers: { ...headers } })).body;
  };
  const proxy = { proxy_header: { name: 'x-groups', groups } };
  const shop = { 'x-groups': 'shop' };
  expect(await viewerOf(proxy, '192.0.2.7', shop)).toBe('proxy');
  expect(await viewerOf(proxy, '::ffff:192.0.2.7', shop)).toBe('proxy');
  expect(await viewerOf(proxy, '198.51.100.7', shop)).toBe('stranger');
  expect(await viewerOf({}, '192.0.2.7', shop)).toBe('stranger');

  const token = signIns.begin({ via: 'oidc', organisation: 'acme', group: 'shop' });
  const cookie = { cookie: `__Host-guard-dashboard=${token}` };
  expect(await viewerOf({ oidc }, '198.51.100.7', cookie)).toBe('oidc');
  expect(
    await viewerOf({ oidc: { ...oidc, groups: { other: 'acme' } } }, '198.51.100.7', cookie),
  ).toBe('stranger');
  expect(
    await viewerOf({ oidc: { ...oidc, groups: { shop: 'rival' } } }, '198.51.100.7', cookie),
  ).toBe('stranger');
  expect(await viewerOf({}, '198.51.100.7', cookie)).toBe('stranger');
});

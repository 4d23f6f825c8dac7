import type { ValidateRequest } from '@guard/config/contract/validate-request';
import { describe, expect, test } from 'vitest';
import { validatorWith } from '../../../test/kit/validator.ts';
import { curl, googlebot, visit } from '../../../test/kit/visitors.ts';

/** Everybody is challenged, as a cautious user would have it. */
const STRICT = '[{ name: everybody, match: {}, detect: true, challenge: always }]';
const guard = validatorWith(STRICT, {
  organisation: { presets: ['feeds', 'wp-cron', 'apt', 'containers', 'media'] },
});

type Over = Partial<ValidateRequest>;

/** What became of a request, and the rule that the event names. */
async function decided(path: string, over: Over = {}): Promise<[string, string]> {
  const request = visit({ headers: { ...curl }, ...over, url: `https://shop.example${path}` });
  const { decision } = await guard.ask(request);
  return [decision, guard.events.at(-1)?.rule ?? ''];
}

const sent = (headers: Readonly<Record<string, string>>): Over => ({
  headers: { ...curl, ...headers },
});
const as = (userAgent: string): Over => sent({ 'user-agent': userAgent });
const posted = (length: string): Over => ({
  method: 'POST',
  ...sent({ 'content-length': length }),
});

describe('preset:wp-cron lets WordPress, and the cron of a server, start the tasks that are due', () => {
  test.each([
    [
      '/wp-cron.php?doing_wp_cron=1795747963.2249',
      // As curl of PHP sends it, from the server of the site or any other.
      {
        method: 'POST',
        ...sent({
          'user-agent': 'WordPress/6.1.9; https://shop.example',
          'content-length': '0',
          'content-type': 'application/x-www-form-urlencoded',
        }),
      },
    ],
    ['/blog/wp-cron.php', {}],
    ['/wp-cron.php?doing_wp_cron', as('Wget/1.21.3')],
    ['/wp-cron.php', { method: 'HEAD' }],
  ] as const)('%s %j', async (path, over) => {
    expect(await decided(path, over)).toEqual(['allow', 'preset:wp-cron']);
  });

  test.each([
    // Plugins read forms at each address.
    ['/wp-cron.php', posted('31')],
    ['/wp-cron.php', { method: 'POST' }],
    ['/wp-cron.php', posted('0, 31')],
    ['/wp-cron.php/../wp-login.php', {}],
    ['/wp-cron.php/feed', {}],
    ['/shop.php/wp-cron.php', {}],
    ['/wp-login.php?x=/wp-cron.php', {}],
    ['/wp-cron.php', { headers: { ...googlebot } }],
  ] as const)('and not %s %j', async (path, over) => {
    expect((await decided(path, over))[0]).not.toBe('allow');
  });
});

describe('preset:apt lets any honest program read a repository of Debian packages', () => {
  test.each([
    ['/dists/stable/InRelease', as('Debian APT-HTTP/1.3 (2.6.1)')],
    ['/debian/dists/stable/Release.gpg', {}],
    ['/dists/stable/main/binary-amd64/Packages', {}],
    ['/dists/stable/main/binary-amd64/Packages.xz', { method: 'HEAD' }],
    ['/dists/stable/main/source/Sources.gz', {}],
    [`/dists/stable/main/binary-amd64/by-hash/SHA256/${'a'.repeat(64)}`, {}],
    ['/dists/stable/main/i18n/Translation-en.bz2', {}],
    ['/pool/main/g/guard/guard_0.1.0%2bdeb12-1_all.deb', {}],
    ['/pool/main/g/guard/guard_0.1.0.orig.tar.xz', {}],
  ] as const)('%s', async (path, over) => {
    expect(await decided(path, over)).toEqual(['allow', 'preset:apt']);
  });

  test.each([
    ['/dists/stable/InRelease', { method: 'POST' }],
    ['/dists/', {}],
    ['/dists/stable/', {}],
    ['/music/Release', {}],
    ['/pool/main/g/guard/', {}],
    ['/dists/../admin', {}],
    ['/shop.php/dists/stable/Release', {}],
    ['/pool/admin?.deb', {}],
    ['/pool/admin%3f.deb', {}],
    ['/dists/stable/InRelease', { headers: { ...googlebot } }],
  ] as const)('and not %s %j', async (path, over) => {
    expect((await decided(path, over))[0]).not.toBe('allow');
  });
});

describe('preset:containers lets through what has the path of a container registry', () => {
  const digest = `sha256:${'a'.repeat(64)}`;

  test.each([
    ['/v2/', as('docker/24.0.7 go/go1.20')],
    ['/v2/ada/engine/manifests/1.0', as('containers/5.24.1 (github.com/containers/image)')],
    ['/v2/ada/engine/manifests/1.0', { method: 'PUT' }],
    [`/v2/ada/engine/blobs/${digest}`, { method: 'HEAD' }],
    ['/v2/ada/engine/blobs/uploads/', { method: 'POST' }],
    ['/v2/engine/blobs/uploads/0a5e-11?_state=abc', { method: 'PATCH' }],
    ['/v2/a/b/c/tags/list?n=10', {}],
    [`/v2/ada/engine/referrers/${digest}`, {}],
    ['/v2/token?service=x&scope=repository:a/b:pull', {}],
  ] as const)('%s %j', async (path, over) => {
    expect(await decided(path, over)).toEqual(['allow', 'preset:containers']);
  });

  test.each([
    ['/v2/orders', {}],
    ['/v2/', { method: 'POST' }],
    ['/v2/manifests/1', {}],
    ['/v2/ada/../../admin/manifests/1', {}],
    ['/v2/a/manifests/1/../../../../admin', {}],
    ['/v2/shop.php/manifests/1', {}],
    ['/api/v2/a/manifests/1', {}],
    ['/v2/a/blobs/all', {}],
    ['/v2/a/manifests/1', { headers: { ...googlebot } }],
  ] as const)('and not %s %j', async (path, over) => {
    expect((await decided(path, over))[0]).not.toBe('allow');
  });
});

describe('preset:media lets mail programs and players read pictures, sound and films', () => {
  test.each([
    ['/mail/logo.png', as('Mozilla/5.0 (X11; rv:115.0) Gecko/20100101 Thunderbird/115.6.0')],
    [
      '/mail/logo.JPG?v=2',
      as(
        'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      ),
    ],
    ['/mail/logo.gif', as('YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy.html')],
    ['/episodes/1.mp3', as('AntennaPod/3.3.2')],
    ['/episodes/1.m4a', { method: 'HEAD', ...as('Overcast/3.0 (+http://overcast.fm/)') }],
    ['/live/main.m3u8', as('AppleCoreMedia/1.0.0.21E236 (iPhone; U; CPU OS 17_4_1 like Mac OS X)')],
    ['/films/1.mp4', as('Lavf/59.27.100')],
  ] as const)('%s', async (path, over) => {
    expect(await decided(path, over)).toEqual(['allow', 'preset:media']);
  });

  test.each([
    ['/episodes/1.mp3', { method: 'POST' }],
    [
      '/logo.png',
      as('Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)'),
    ],
    ['/logo.png', { headers: { ...googlebot } }],
    ['/admin%3f.png', {}],
    ['/shop.php/1.png', {}],
    ['/png', {}],
    ['/admin/?x=.png', {}],
  ] as const)('and not %s %j', async (path, over) => {
    expect((await decided(path, over))[0]).not.toBe('allow');
  });

  test.each([
    ['a calendar that is subscribed to', '/team.ics', 'Google-Calendar-Importer'],
    ['what DokuWiki calls its feed', '/feed.php?mode=list', 'newsboat/2.21'],
  ])('%s is a feed', async (_what, path, userAgent) => {
    expect(await decided(path, as(userAgent))).toEqual(['allow', 'preset:feeds']);
  });
});

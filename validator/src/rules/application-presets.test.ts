import { googlebot } from '../../../test/kit/visitors/visitors.ts';
import {
  withAgent,
  type RequestChanges,
  withHeaders,
  testPreset,
} from './testing/preset-tables.ts';

const postOf = (length: string): RequestChanges => ({
  method: 'POST',
  ...withHeaders({ 'content-length': length }),
});

testPreset(
  'wp-cron',
  'WordPress, and the cron daemon of a server, to start due tasks',
  [
    [
      '/wp-cron.php?doing_wp_cron=1795747963.2249',
      // The request that PHP's curl functions send, from the server of the site or from another server.
      {
        method: 'POST',
        ...withHeaders({
          'user-agent': 'WordPress/6.1.9; https://shop.example',
          'content-length': '0',
          'content-type': 'application/x-www-form-urlencoded',
        }),
      },
    ],
    ['/blog/wp-cron.php', {}],
    ['/wp-cron.php?doing_wp_cron', withAgent('Wget/1.21.3')],
    ['/wp-cron.php', { method: 'HEAD' }],
  ],
  [
    // Plugins read form fields at any path, so a request with a body does not pass.
    ['/wp-cron.php', postOf('31')],
    ['/wp-cron.php', { method: 'POST' }],
    ['/wp-cron.php', postOf('0, 31')],
    ['/wp-cron.php/../wp-login.php', {}],
    ['/wp-cron.php/feed', {}],
    ['/shop.php/wp-cron.php', {}],
    ['/wp-login.php?x=/wp-cron.php', {}],
    ['/wp-cron.php', { headers: { ...googlebot } }],
  ],
);

testPreset(
  'apt',
  'any honest program to read a repository of Debian packages',
  [
    ['/dists/stable/InRelease', withAgent('Debian APT-HTTP/1.3 (2.6.1)')],
    ['/debian/dists/stable/Release.gpg', {}],
    ['/dists/stable/main/binary-amd64/Packages', {}],
    ['/dists/stable/main/binary-amd64/Packages.xz', { method: 'HEAD' }],
    ['/dists/stable/main/source/Sources.gz', {}],
    [`/dists/stable/main/binary-amd64/by-hash/SHA256/${'a'.repeat(64)}`, {}],
    ['/dists/stable/main/i18n/Translation-en.bz2', {}],
    ['/pool/main/g/guard/guard_0.1.0%2bdeb12-1_all.deb', {}],
    ['/pool/main/g/guard/guard_0.1.0.orig.tar.xz', {}],
  ],
  [
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
  ],
);

const digest = `sha256:${'a'.repeat(64)}`;

testPreset(
  'containers',
  'requests with the path of a container registry',
  [
    ['/v2/', withAgent('docker/24.0.7 go/go1.20')],
    ['/v2/ada/engine/manifests/1.0', withAgent('containers/5.24.1 (github.com/containers/image)')],
    ['/v2/ada/engine/manifests/1.0', { method: 'PUT' }],
    [`/v2/ada/engine/blobs/${digest}`, { method: 'HEAD' }],
    ['/v2/ada/engine/blobs/uploads/', { method: 'POST' }],
    ['/v2/engine/blobs/uploads/0a5e-11?_state=abc', { method: 'PATCH' }],
    ['/v2/a/b/c/tags/list?n=10', {}],
    [`/v2/ada/engine/referrers/${digest}`, {}],
    ['/v2/token?service=x&scope=repository:a/b:pull', {}],
  ],
  [
    ['/v2/orders', {}],
    ['/v2/', { method: 'POST' }],
    ['/v2/manifests/1', {}],
    ['/v2/ada/../../admin/manifests/1', {}],
    ['/v2/a/manifests/1/../../../../admin', {}],
    ['/v2/shop.php/manifests/1', {}],
    ['/api/v2/a/manifests/1', {}],
    ['/v2/a/blobs/all', {}],
    ['/v2/a/manifests/1', { headers: { ...googlebot } }],
  ],
);

testPreset(
  'media',
  'mail programs and players to read pictures, sound and films',
  [
    ['/mail/logo.png', withAgent('Mozilla/5.0 (X11; rv:115.0) Gecko/20100101 Thunderbird/115.6.0')],
    [
      '/mail/logo.JPG?v=2',
      withAgent(
        'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
      ),
    ],
    [
      '/mail/logo.gif',
      withAgent('YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy.html'),
    ],
    ['/episodes/1.mp3', withAgent('AntennaPod/3.3.2')],
    ['/episodes/1.m4a', { method: 'HEAD', ...withAgent('Overcast/3.0 (+http://overcast.fm/)') }],
    [
      '/live/main.m3u8',
      withAgent('AppleCoreMedia/1.0.0.21E236 (iPhone; U; CPU OS 17_4_1 like Mac OS X)'),
    ],
    ['/films/1.mp4', withAgent('Lavf/59.27.100')],
  ],
  [
    ['/episodes/1.mp3', { method: 'POST' }],
    [
      '/logo.png',
      withAgent(
        'Mozilla/5.0 AppleWebKit/537.36 (compatible; GPTBot/1.2; +https://openai.com/gptbot)',
      ),
    ],
    ['/logo.png', { headers: { ...googlebot } }],
    ['/admin%3f.png', {}],
    ['/shop.php/1.png', {}],
    ['/png', {}],
    ['/admin/?x=.png', {}],
  ],
);

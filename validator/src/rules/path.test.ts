import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { validatorWith } from '../../../test/kit/product/validator.ts';
import { visit } from '../../../test/kit/visitors/visitors.ts';
import { at, matches } from '../../../test/kit/product/rule-matches.ts';

describe('path', () => {
  test.each([
    ['/admin/**', '/admin', true],
    ['/admin/**', '/admin/users?page=2', true],
    ['/admin/**', '/administrator', false],
    ['/*.php', '/index.php', true],
    ['/*.php', '/a/index.php', false],
    ['/Admin', '/admin', true],
    ['/admin', '/ADMIN/', true],
    ['/admin/*', '/Admin', true],
    ['/admin/*', '/Admin/a/b', false],
    [{ regex: '^/admin' }, '/Admin', false],
    [{ regex: '^/v[0-9]+/' }, '/v12/items', true],
    [{ regex: '^/v[0-9]+/' }, '/api/v12/', false],
  ])('%j and %s: %s', async (path, requestPath, expected) => {
    expect(await matches({ path }, at(requestPath))).toBe(expected);
  });

  test.each([
    ...['//admin', '/./admin', '/x/../admin', '/%61dmin', '/admin;x=1', '/x/%2e%2e/admin'],
    ...[
      '//x/admin/s',
      '/\\x/admin/s',
      '///x/admin/s',
      '//x:y@z/admin/s',
      '/admin./x',
      '/admin%20/x',
    ],
    ...['/%EF%BD%81dmin', '/ad%00min'],
  ])('a blocking rule matches every path reading: %s', async (requestPath) => {
    expect(await matches({ path: '/admin/**' }, at(requestPath))).toBe(true);
  });

  test.each([
    // Scripts get the rest of the path as an argument (RFC 3875 4.1.5).
    ['/wp-login.php', '/wp-login.php/x', true],
    ['/wp-login.php', '/WP-Login.php/', true],
    ['/wp-login.php', '/wp-login.php/x.php/y', true],
    ['/login.aspx', '/x/..;/login%2easpx/y', true],
    ['/cgi-bin/search', '/cgi-bin/search/x', true],
    ['/wp-login.php', '/wp-login.phpx/x', false],
    ['/domain/*', '/domain/shop.pl/owner', false],
    // A front controller routes the rest of the path.
    ['/login', '/index.php/login', true],
    ['/admin/**', '/index.php//admin/../x', true],
    ['/shop/login', '/shop/index.php/login', true],
    ['/login', '/xindex.php/login', false],
    // The index of a folder is the folder.
    ['/', '/index.php', true],
    ['/docs/', '/docs/index.html', true],
    ['/docs/', '/docs/index.html/x', false],
    ['/index.php', '/', false],
    // Rack::URLMap merges slashes and does not resolve dots.
    ['/admin/**', '//admin/../x', true],
  ])(
    'a script answers at more paths than its own: %s and %s: %s',
    async (path, asked, expected) => {
      expect(await matches({ path }, at(asked))).toBe(expected);
    },
  );

  test.each([
    ['POST', '/login.json', true],
    ['put', '/Login.x/', true],
    ['POST', '/index.php/login.json', true],
    ['POST', '/login.a.b', false],
    // A browser gets a file with this method.
    ['GET', '/login.json', false],
  ])(
    'Rails leaves out a format at the end: /login and %s %s: %s',
    async (method, path, expected) => {
      expect(await matches({ path: '/login' }, { ...at(path), method })).toBe(expected);
    },
  );

  test.each([
    ['/index.php/api/**', '/index.php/api/x', 'allow'],
    ['/api/**', '/index.php/api/x', 'block'],
    ['/open', '/open', 'allow'],
    ['/open', '/OPEN', 'block'],
    ['/open', '/open/', 'block'],
    ['/Open', '/Open', 'allow'],
    ['/Open', '/open', 'block'],
    ['/open/*', '/open', 'block'],
    // A server runs the script, whatever the end of the path is.
    ['/**/*.css', '/wp-login.php/x.css', 'block'],
    ['/**/*.css', '/a/cgi-bin/login/x.css', 'block'],
    ['/**/*.css', '/index.php/x.css', 'allow'],
    ['/**/*.css', '/php/x.css', 'allow'],
    ['/files/**', '/files/x.php/y', 'allow'],
    ['/remote.php/**', '/remote.php/dav', 'allow'],
    ['/**/apps/*/api/**', '/index.php/apps/notes/api/v1', 'allow'],
  ])(
    'a rule that allows %s matches no other spelling: the decision on %s is %s',
    async (path, requestPath, decision) => {
      const { ask } = validatorWith(
        stringify([
          { name: 'open', match: { path }, verdict: 'allow' },
          { name: 'rest', match: {}, verdict: 'block' },
        ]),
      );
      expect((await ask(visit(at(requestPath)))).decision).toBe(decision);
    },
  );

  test('a regular expression takes time linear in the length of the text', async () => {
    expect(await matches({ path: { regex: '^/(a+)+$' } }, at(`/${'a'.repeat(4_000)}!`))).toBe(
      false,
    );
  });
});

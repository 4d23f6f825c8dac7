import { describe, expect, test } from 'vitest';
import { chooseLanguage } from './choose-language.ts';
import { compileLook } from './look.ts';
import { renderNotice } from './notice-page.ts';
import { OwnPages } from './own-pages.ts';
import { compileTemplate } from './template.ts';
import { asText } from './testing/as-text.ts';

const HOSTILE_TEXT = `"'><script>alert(1)</script>&`;

describe("an organisation's own page", () => {
  const html =
    '<html lang="{{language}}"><p>{{reason}}</p>{{reference}} {{reference}} {{support}} [{{retry_after}}]';
  const branded = compileLook({ support: { label: 'shop.example/help', href: HOSTILE_TEXT } });
  const notice = 'rateLimited' as const;
  const renderOwnPage = (page: string, changes: object = {}) =>
    asText(
      renderNotice({
        notice,
        reference: HOSTILE_TEXT,
        acceptLanguage: 'de',
        look: branded,
        retryAfterS: 90,
        own: new OwnPages({ limit_page: { path: '', html: page }, rules: [] }).find(notice),
        ...changes,
      }),
    );

  test('contains the reference code, the message, the support, the language and the seconds, all escaped', () => {
    const escaped = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;';
    expect(renderOwnPage(html).html).toBe(
      `<html lang="de"><p>${chooseLanguage('de').rateLimited.text}</p>${escaped} ${escaped} ${escaped} [90]`,
    );
  });

  test('fills nothing in for an empty value, and fills no placeholder inside a value', () => {
    const page = renderOwnPage('[{{support}}][{{retry_after}}]{{reference}}', {
      look: compileLook(),
      retryAfterS: undefined,
      reference: '{{support}}',
    });
    expect(page.html).toBe('[][]{{support}}');
  });

  test('has the headers of the built-in page, but its policy allows the page’s own style and script', () => {
    const { 'Content-Security-Policy': policy, ...headers } = renderOwnPage(html).headers;
    const builtIn = renderOwnPage(html, { own: undefined }).headers;
    expect({ ...builtIn, 'Content-Security-Policy': policy }).toEqual(renderOwnPage(html).headers);
    expect(headers).toMatchObject({
      Vary: 'Cookie, Accept, Accept-Language',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
      'CDN-Cache-Control': 'no-store',
    });
    expect(policy).toBe("base-uri 'self'; object-src 'none'; frame-ancestors 'self'");
  });

  test('the page of the deciding rule has priority over the page of the organisation', () => {
    const [pageOfRule, pageOfOrganisation] = ['mine', 'other'].map((text) => ({
      path: '',
      html: text,
    }));
    const rule = { name: 'a', match: {}, block_page: pageOfRule };
    const pages = new OwnPages({ block_page: pageOfOrganisation, rules: [rule] });
    const blockPageOf = (by: Parameters<OwnPages['find']>[1]) =>
      String(pages.find('blocked', by)?.({} as never).html);
    expect(blockPageOf(rule)).toBe('mine');
    expect(blockPageOf({ limit_page: undefined })).toBe('other');
    expect(pages.find('rateLimited', rule)).toBeUndefined();
    expect(pages.find('busy')).toBeUndefined();
  });
});

describe('templates', () => {
  test('refuse a placeholder without a name in the list, and a name without a placeholder', () => {
    expect(() => compileTemplate('{{other}}', ['name'])).toThrow('unknown placeholder {{other}}');
    expect(() => compileTemplate('plain', ['name'])).toThrow(
      'the template has no placeholder {{name}}',
    );
  });

  test('do not fill braces inside a value', () => {
    const fill = compileTemplate('<{{a}}|{{b}}>', ['a', 'b']);
    expect(fill({ a: '{{b}}', b: 'x' }).html.toString()).toBe('<{{b}}|x>');
  });
});

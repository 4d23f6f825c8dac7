import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { loadBrowserBundle } from '../../browser/build.ts';
import { chooseLanguage } from './choose-language.ts';
import { plainProgram } from '../challenge/program/programs.ts';
import { createInterstitial, type InterstitialOptions } from './interstitial.ts';
import { languages } from './languages.ts';
import { compileLook } from './look.ts';
import { type NoticeOptions, renderNotice } from './notice-page.ts';
import { asText } from './testing/as-text.ts';
import { OwnPages } from './own-pages.ts';
import { renderProblem } from './problem.ts';
import { createCascadeSheets } from '../challenge/cascade/sheet.ts';
import { createQuestionPool } from '../challenge/learned/question-pool.ts';
import { createWitnesses } from '../challenge/witnesses/witnesses.ts';
import { compileTemplate } from './template.ts';

const look = compileLook();
const script = loadBrowserBundle().interstitial;
const interstitial = createInterstitial();
const render = (options: InterstitialOptions) => asText(interstitial(options));
const noticeOf = (options: NoticeOptions) => asText(renderNotice(options));
const options = {
  program: plainProgram(script),
  ticket: 'A'.repeat(400),
  sheet: createCascadeSheets(['a secret']).issue('a ticket'),
  witnesses: createWitnesses(['a secret']).issue('AAAAAAAAAAAAAAAA', '8daaf6152771g'),
  questions: createQuestionPool(['a secret']).issueEscaped('a ticket', 0),
  trap: '/.guard/archive?page=AAAAAAAAAAAAAAAA',
  session: '3f0e5c9a-8a4b-4c6d-8e9f-0a1b2c3d4e5f',
  uploadUrl: '/.guard/verify',
  reference: 'K7QM2X9D',
  messages: chooseLanguage('en'),
  form: 'none',
  look,
} as const;
const hostile = `"'><script>alert(1)</script>&`;

function nonceOf(headers: Readonly<Record<string, string>>): string {
  return /'nonce-([^']+)'/.exec(headers['Content-Security-Policy'] ?? '')?.[1] ?? '';
}

describe('contract 3: the challenge page', () => {
  test.each(languages)(
    'in $language weighs less than 15 kB in gzip, with its script',
    (messages) => {
      const page = interstitial({ ...options, messages, form: 'own' });
      expect(page.gzip().length).toBeLessThan(15_000);
      expect(gunzipSync(page.gzip()).equals(page.html)).toBe(true);
    },
  );

  test('has a new nonce each time, on every script and style, and a policy without unsafe sources', () => {
    const [one, two] = [render(options), render(options)];
    expect(nonceOf(one.headers)).not.toBe(nonceOf(two.headers));
    expect(nonceOf(one.headers)).toHaveLength(24);
    const policy = one.headers['Content-Security-Policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    for (const [tag] of one.html.matchAll(/<(?:script|style)\b[^>]*>/g)) {
      expect(tag).toContain(`nonce="${nonceOf(one.headers)}"`);
    }
    expect(one.html).not.toMatch(/\son\w+=|\sstyle=/);
  });

  test('uses only URLs of the site: its upload, the paths beside it, and its own files', () => {
    const { html } = render(options);
    const urls = Array.from(html.matchAll(/url\(([^)]*)\)/g), ([, url = '']) => url);
    expect(urls.filter((url) => !url.startsWith('/.guard/witness?'))).toEqual([]);
    const others = html
      .replace(script, '')
      .replaceAll(/url\([^)]*\)|<a href="\/\.guard\/archive/g, '');
    expect(others).not.toMatch(/\b(?:src|href)=|url\(|@import|https?:\/\//);
    expect(script).not.toMatch(/\bhref=|url\(|@import|https?:\/\//);
  });

  test('may frame its own host and data:, but nothing when it uploads to another host', () => {
    expect(render(options).headers['Content-Security-Policy']).toContain(
      "; frame-src data: 'self';",
    );
    const uploadUrl = 'https://collector.guard.example/verify';
    const { headers } = render({ ...options, uploadUrl });
    expect(headers['Content-Security-Policy']).not.toContain('frame-src');
  });

  test('may load images and fonts of its own host, but none when it uploads to another host', () => {
    const files = "; img-src 'self'; font-src 'self'";
    expect(render(options).headers['Content-Security-Policy']).toContain(files);
    const uploadUrl = 'https://collector.guard.example/verify';
    const { headers } = render({ ...options, uploadUrl });
    expect(headers['Content-Security-Policy']).not.toMatch(/img-src|font-src/);
  });

  test('may connect only to its collector', () => {
    const own = render(options).headers['Content-Security-Policy'];
    expect(own).toMatch(/connect-src 'self'$/);
    const uploadUrl = 'https://collector.guard.example/verify';
    const { headers } = render({ ...options, uploadUrl });
    expect(headers['Content-Security-Policy']).toMatch(
      /connect-src https:\/\/collector\.guard\.example$/,
    );
  });

  test('forbids caching and content sniffing', () => {
    expect(render(options).headers).toMatchObject({
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'CDN-Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
    });
  });

  test('has no redirect target from its input', () => {
    const { html } = render(options);
    const attributes = [...html.matchAll(/\sdata-(\w+)="/g)].map(([, name]) => name);
    expect(new Set(attributes)).toEqual(
      new Set([
        'ticket',
        'sheet',
        'witnesses',
        'questions',
        'session',
        'upload',
        'form',
        'screen',
        'action',
      ]),
    );
  });

  test('escapes all values', () => {
    const { html } = render({ ...options, ticket: hostile, reference: hostile });
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;');
  });

  test('has landmarks, a language, a live region and a text for browsers without scripts', () => {
    for (const messages of languages) {
      const { html } = render({ ...options, messages });
      expect(html).toContain(`<html lang="${messages.language}" dir="${messages.direction}">`);
      expect(html).toMatch(/<main>[^]*<div role="status" aria-live="polite">[^]*<\/main>/);
      expect(html).toMatch(/<noscript>[^]+<h1[^]+<\/noscript>/);
      expect(html).toContain('prefers-reduced-motion');
      expect(html).toContain('prefers-color-scheme');
    }
  });

  test('shows only the first screen and its needs in a browser that shows hidden text', () => {
    // As Lynx, w3m and ELinks do. They know neither styles nor the attribute `hidden`.
    const { html } = render({ ...options, form: 'own' });
    const text = html
      .replace(/<(script|style|title)\b[^]*?<\/\1>|<!--[^]*?-->/g, '')
      .replace(/<(?:"[^"]*"|[^>"])+>/g, '\n')
      .replace(/\s*\n\s*/g, '\n')
      .trim();
    const { noScript, checking, resubmission, reference } = chooseLanguage('en');
    expect(text.split('\n')).toEqual([
      ...[noScript.heading, noScript.text, checking.heading, checking.text, resubmission],
      ...[`${reference}:`, 'K7QM2X9D'],
    ]);
  });

  test('announces that a form is sent again, only when there is a form', () => {
    const { resubmission, resend, elsewhere } = chooseLanguage('en');
    const own = render({ ...options, form: 'own' }).html;
    expect(own).toContain(resubmission);
    expect(own).toContain(resend.heading);
    for (const form of ['none', 'foreign'] as const) {
      const { html } = render({ ...options, form });
      expect(html).not.toContain(resubmission);
      expect(html).not.toContain(resend.heading);
    }
    expect(own).not.toContain(elsewhere.heading);
  });

  test('has no button that sends a form of another origin again', () => {
    const { html } = render({ ...options, form: 'foreign' });
    expect(html).toContain(chooseLanguage('en').elsewhere.heading);
    expect(html).not.toContain('data-action="reload"');
    expect(html).toContain('data-action="back"');
  });
});

describe('the block page', () => {
  test('shows the reference code and advice for a person who was blocked by mistake', () => {
    const page = { reference: 'K7QM2X9D', notice: 'blocked', acceptLanguage: 'de', look } as const;
    const { html, headers } = noticeOf(page);
    expect(html).toContain('<code>K7QM2X9D</code>');
    for (const advice of chooseLanguage('de').advice) expect(html).toContain(advice);
    expect(headers['Content-Security-Policy']).not.toMatch(/script-src|unsafe/);
    expect(html).not.toContain('<script');
  });

  test.each([
    [1, 'en', 'Try again: in 1 second'],
    [59, 'de', 'Erneut versuchen: in 59 Sekunden'],
    [61, 'en', 'Try again: in 2 minutes'],
    [7201, 'fr', 'Réessayer: dans 3 heures'],
  ])(
    'shows how long a limited visitor has to wait: %d s in %s',
    (retryAfterS, acceptLanguage, words) => {
      const page = { reference: 'K7QM2X9D', notice: 'rateLimited', look, retryAfterS } as const;
      expect(noticeOf({ ...page, acceptLanguage }).html).toContain(words);
    },
  );

  test('escapes the reference', () => {
    const page = {
      reference: hostile,
      notice: 'blocked',
      acceptLanguage: undefined,
      look,
    } as const;
    expect(noticeOf(page).html).not.toContain('<script');
  });
});

describe("an organisation's own page", () => {
  const html =
    '<html lang="{{language}}"><p>{{reason}}</p>{{reference}} {{reference}} {{support}} [{{retry_after}}]';
  const branded = compileLook({ support: { label: 'shop.example/help', href: hostile } });
  const notice = 'rateLimited' as const;
  const own = (page: string, changes: object = {}) =>
    noticeOf({
      notice,
      reference: hostile,
      acceptLanguage: 'de',
      look: branded,
      retryAfterS: 90,
      own: new OwnPages({ limit_page: { path: '', html: page }, rules: [] }).find(notice),
      ...changes,
    });

  test('contains the reference code, the message, the support, the language and the seconds, all escaped', () => {
    const escaped = '&quot;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;';
    expect(own(html).html).toBe(
      `<html lang="de"><p>${chooseLanguage('de').rateLimited.text}</p>${escaped} ${escaped} ${escaped} [90]`,
    );
  });

  test('leaves a value without content empty, and fills no placeholder inside a value', () => {
    const page = own('[{{support}}][{{retry_after}}]{{reference}}', {
      look,
      retryAfterS: undefined,
      reference: '{{support}}',
    });
    expect(page.html).toBe('[][]{{support}}');
  });

  test('has the headers of the built-in page, with additions for its own style and script', () => {
    const { 'Content-Security-Policy': policy, ...headers } = own(html).headers;
    const builtIn = own(html, { own: undefined }).headers;
    expect({ ...builtIn, 'Content-Security-Policy': policy }).toEqual(own(html).headers);
    expect(headers).toMatchObject({
      Vary: 'Cookie, Accept, Accept-Language',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
      'CDN-Cache-Control': 'no-store',
    });
    expect(policy).toBe("base-uri 'self'; object-src 'none'; frame-ancestors 'self'");
  });

  test('the page of the deciding rule comes before the page of the organisation', () => {
    const [mine, other] = ['mine', 'other'].map((text) => ({ path: '', html: text }));
    const rule = { name: 'a', match: {}, block_page: mine };
    const pages = new OwnPages({ block_page: other, rules: [rule] });
    const blocked = (by: Parameters<OwnPages['find']>[1]) =>
      String(pages.find('blocked', by)?.({} as never).html);
    expect(blocked(rule)).toBe('mine');
    expect(blocked({ limit_page: undefined })).toBe('other');
    expect(pages.find('rateLimited', rule)).toBeUndefined();
    expect(pages.find('busy')).toBeUndefined();
  });
});

describe('problem details', () => {
  test('RFC 9457: media type, members, and a stable code', () => {
    const problem = { status: 403, code: 'blocked', requestId: 'id-1', reference: hostile };
    const { body, headers } = renderProblem(problem);
    expect(headers['Content-Type']).toBe('application/problem+json');
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      code: 'blocked',
      request_id: 'id-1',
      reference: hostile,
    });
  });
});

describe('templates', () => {
  test('refuse a placeholder without a value and a value without a placeholder', () => {
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

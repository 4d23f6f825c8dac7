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
import { renderProblem } from './problem.ts';
import { createCascadeSheets } from '../challenge/cascade/sheet.ts';
import { createQuestionPool } from '../challenge/learned/question-pool.ts';
import { createWitnesses } from '../challenge/witnesses/witnesses.ts';

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
const HOSTILE_TEXT = `"'><script>alert(1)</script>&`;

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
    const [first, second] = [render(options), render(options)];
    expect(nonceOf(first.headers)).not.toBe(nonceOf(second.headers));
    expect(nonceOf(first.headers)).toHaveLength(24);
    const policy = first.headers['Content-Security-Policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*/);
    for (const [tag] of first.html.matchAll(/<(?:script|style)\b[^>]*>/g)) {
      expect(tag).toContain(`nonce="${nonceOf(first.headers)}"`);
    }
    expect(first.html).not.toMatch(/\son\w+=|\sstyle=/);
  });

  test('uses only URLs of the site: its upload, the paths beside it, and its own files', () => {
    const { html } = render(options);
    const urls = Array.from(html.matchAll(/url\(([^)]*)\)/g), ([, url = '']) => url);
    expect(urls.filter((url) => !url.startsWith('/.guard/witness?'))).toEqual([]);
    const htmlWithoutKnownUrls = html
      .replace(script, '')
      .replaceAll(/url\([^)]*\)|<a href="\/\.guard\/archive/g, '');
    expect(htmlWithoutKnownUrls).not.toMatch(/\b(?:src|href)=|url\(|@import|https?:\/\//);
    expect(script).not.toMatch(/\bhref=|url\(|@import|https?:\/\//);
  });

  test('can have frames of its own host and data:, but no frames when it uploads to another host', () => {
    expect(render(options).headers['Content-Security-Policy']).toContain(
      "; frame-src data: 'self';",
    );
    const uploadUrl = 'https://collector.guard.example/verify';
    const { headers } = render({ ...options, uploadUrl });
    expect(headers['Content-Security-Policy']).not.toContain('frame-src');
  });

  test('can load images and fonts of its own host, but none when it uploads to another host', () => {
    const files = "; img-src 'self'; font-src 'self'";
    expect(render(options).headers['Content-Security-Policy']).toContain(files);
    const uploadUrl = 'https://collector.guard.example/verify';
    const { headers } = render({ ...options, uploadUrl });
    expect(headers['Content-Security-Policy']).not.toMatch(/img-src|font-src/);
  });

  test('can connect only to its collector', () => {
    const policyOfOwnHost = render(options).headers['Content-Security-Policy'];
    expect(policyOfOwnHost).toMatch(/connect-src 'self'$/);
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

  test('cannot be made to redirect by its input', () => {
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
    const { html } = render({ ...options, ticket: HOSTILE_TEXT, reference: HOSTILE_TEXT });
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

  test('shows only the first screen and the text without scripts in a browser that shows hidden text', () => {
    // Such browsers are Lynx, w3m and ELinks. They support neither styles nor the attribute `hidden`.
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

  test('announces that a form is sent again only when there is a form', () => {
    const { resubmission, resend, elsewhere } = chooseLanguage('en');
    const htmlWithForm = render({ ...options, form: 'own' }).html;
    expect(htmlWithForm).toContain(resubmission);
    expect(htmlWithForm).toContain(resend.heading);
    for (const form of ['none', 'foreign'] as const) {
      const { html } = render({ ...options, form });
      expect(html).not.toContain(resubmission);
      expect(html).not.toContain(resend.heading);
    }
    expect(htmlWithForm).not.toContain(elsewhere.heading);
  });

  test('has no button that sends a form of another site again', () => {
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
    'shows how long a limited visitor has to wait: %d s in the language %s',
    (retryAfterS, acceptLanguage, words) => {
      const page = { reference: 'K7QM2X9D', notice: 'rateLimited', look, retryAfterS } as const;
      expect(noticeOf({ ...page, acceptLanguage }).html).toContain(words);
    },
  );

  test('escapes the reference', () => {
    const page = {
      reference: HOSTILE_TEXT,
      notice: 'blocked',
      acceptLanguage: undefined,
      look,
    } as const;
    expect(noticeOf(page).html).not.toContain('<script');
  });
});

describe('problem details', () => {
  test('RFC 9457: it has the media type, the members, and a stable code', () => {
    const problem = { status: 403, code: 'blocked', requestId: 'id-1', reference: HOSTILE_TEXT };
    const { body, headers } = renderProblem(problem);
    expect(headers['Content-Type']).toBe('application/problem+json');
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: 'Forbidden',
      status: 403,
      code: 'blocked',
      request_id: 'id-1',
      reference: HOSTILE_TEXT,
    });
  });
});

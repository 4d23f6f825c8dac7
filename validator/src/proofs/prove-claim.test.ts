import { CrawlerCatalogue } from '@guard/config/catalogue/crawlers';
import type { CatalogueCrawler, CrawlerStanding } from '@guard/config/catalogue/crawlers';
import { describe, expect, test } from 'vitest';
import { createClaimProver, type ClaimEvidence } from './prove-claim.ts';
import type { SignatureProof } from './web-bot-auth.ts';

const crawlers = CrawlerCatalogue.load();

function crawlerOf(userAgent: string): CatalogueCrawler {
  const crawler = crawlers.identify(userAgent);
  if (crawler === undefined) throw new Error(`no crawler is identified: ${userAgent}`);
  return crawler;
}

const gptbot = crawlerOf('GPTBot');
const baidu = crawlerOf('Baiduspider');
const OUTSIDE = '203.0.113.9';

function standingOf(
  crawler: CatalogueCrawler,
  proofs: { signature?: SignatureProof; names?: CrawlerStanding; ip?: string } = {},
): CrawlerStanding {
  const { signature = { kind: 'absent' }, names = 'unverifiable', ip = OUTSIDE } = proofs;
  const evidence: ClaimEvidence = { ip, signed: signature };
  return createClaimProver({
    crawlers,
    reverseDns: { confirm: () => names, settled: () => Promise.resolve() },
  })(crawler, evidence);
}

function signedBy(operator: string | undefined): SignatureProof {
  const key = { agent: 'a', operator, keyId: 'k', x: '', notBefore: 0, notAfter: Infinity };
  return { kind: 'valid', key };
}

const byOpenAi = signedBy('OpenAI');

describe('a claim is verified (contract 1.3)', () => {
  test('by an address in the published ranges, whatever the signature is', () => {
    const signature: SignatureProof = { kind: 'invalid', fault: 'signature' };
    expect(standingOf(crawlerOf('Googlebot'), { ip: '66.249.66.1', signature })).toBe('verified');
  });

  test("by the operator's signature, from any address", () => {
    expect(standingOf(gptbot, { signature: byOpenAi })).toBe('verified');
  });

  test("by the operator's host names", () => {
    expect(standingOf(baidu, { names: 'verified' })).toBe('verified');
  });
});

describe('a bad or foreign signature never makes an impersonator', () => {
  const badSignature: SignatureProof = { kind: 'invalid', fault: 'signature' };

  test('a bad signature lets the other proofs decide', () => {
    expect(standingOf(baidu, { signature: badSignature })).toBe('unverifiable');
    expect(standingOf(baidu, { signature: badSignature, names: 'verified' })).toBe('verified');
    expect(standingOf(gptbot, { signature: badSignature })).toBe('impersonator');
  });

  test('a signature of another operator or of an agent lets the other proofs decide', () => {
    expect(standingOf(baidu, { signature: byOpenAi })).toBe('unverifiable');
    expect(standingOf(baidu, { signature: signedBy(undefined) })).toBe('unverifiable');
  });
});

test('an address outside of a complete list, without a signature, is an impersonator', () => {
  expect(standingOf(gptbot, { names: 'verified' })).toBe('impersonator');
});

test('without other proofs the ranges decide alone', () => {
  const proveClaim = createClaimProver({ crawlers, reverseDns: undefined });
  const evidence = { ip: OUTSIDE, signed: undefined };
  expect(proveClaim(baidu, evidence)).toBe('unverifiable');
  expect(proveClaim(gptbot, evidence)).toBe('impersonator');
});

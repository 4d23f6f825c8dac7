import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../gateway/src/testing/self-signed.ts';
import { poll, send } from '../kit/http.ts';
import { type RecordingOrigin, startRecordingOrigin } from '../kit/origins/recording-origin.ts';
import { type Product, startProduct } from '../kit/product/start-product.ts';
import { productSettings } from '../kit/product/product-settings.ts';
import { hasOpenssl } from '../kit/tools.ts';

/** These tests replace the certificate files of a started product, as a renewal does. */

const NAMES = ['shop', 'blog'] as const;

describe.skipIf(!hasOpenssl)('tls.certificates', () => {
  let origin: RecordingOrigin;
  let product: Product;
  let folder: string;
  beforeAll(async () => {
    origin = await startRecordingOrigin();
    folder = await mkdtemp(join(tmpdir(), 'guard-cert-'));
    for (const name of NAMES) {
      const { cert, key } = selfSigned(`${name}.example`);
      await replaceFile(`${name}.pem`, cert);
      await replaceFile(`${name}-key.pem`, key);
    }
    const hosts = NAMES.map((name) => `${name}.example`);
    const rules = [{ name: 'open', match: {}, verdict: 'allow' }];
    product = await startProduct({
      ...productSettings(origin.url, { rules, site: { hosts } }),
      listen: { gateway_tls: '127.0.0.1:0', admin: '127.0.0.1:0' },
      tls: {
        certificates: NAMES.map((name) => ({
          cert: join(folder, `${name}.pem`),
          key: join(folder, `${name}-key.pem`),
        })),
      },
      analytics: undefined,
    });
  });
  afterAll(async () => {
    expect(await product.stop()).toBe(0);
    await origin.close();
    await rm(folder, { recursive: true });
  });

  /** Replaces a file in one step, as a renewal does. */
  async function replaceFile(name: string, content: Buffer | string): Promise<void> {
    await writeFile(join(folder, 'next'), content);
    await rename(join(folder, 'next'), join(folder, name));
  }

  async function handshake(servername: string): Promise<TLSSocket> {
    const { port } = new URL(product.addresses.gateway_tls);
    const host = '127.0.0.1';
    const socket = connect({ host, port: Number(port), servername, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    return socket;
  }

  /** The fingerprint and the name of the certificate that visitors of a host get at this moment. */
  async function certificateFor(
    servername: string,
  ): Promise<{ print: string; name: string | undefined }> {
    const socket = await handshake(servername);
    const { fingerprint256: print, subjectaltname: name } = socket.getPeerCertificate();
    socket.destroy();
    return { print, name };
  }

  const metrics = async () => (await send(`${product.addresses.admin}/metrics`)).body;
  const untilReload = (successful: 0 | 1) =>
    poll(metrics, (page) => page.includes(`guard_last_reload_successful ${successful}\n`));

  test.each(['shop.example', 'blog.example'])(
    '%s gets its own certificate, by SNI (RFC 6066 3)',
    async (host) => {
      expect((await certificateFor(host)).name).toBe(`DNS:${host}`);
    },
  );

  test('a renewed certificate is used when both of its files have changed; other certificates do not change, and connections stay open', async () => {
    const keptCertificate = await handshake('blog.example');
    const [shop, blog] = [
      await certificateFor('shop.example'),
      await certificateFor('blog.example'),
    ];
    const renewedCertificate = selfSigned('blog.example');
    await replaceFile('blog-key.pem', renewedCertificate.key);
    await untilReload(0);
    expect(await certificateFor('blog.example')).toEqual(blog);
    await replaceFile('blog.pem', renewedCertificate.cert);
    await untilReload(1);
    const shownCertificate = await certificateFor('blog.example');
    expect(shownCertificate.name).toBe(blog.name);
    expect(shownCertificate.print).not.toBe(blog.print);
    expect(await certificateFor('shop.example')).toEqual(shop);

    let answer = '';
    keptCertificate.setEncoding('latin1').on('data', (text: string) => (answer += text));
    keptCertificate.write('GET / HTTP/1.1\r\nHost: blog.example\r\nConnection: close\r\n\r\n');
    await once(keptCertificate, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('after a damaged file the last good certificate stays in use, and the log names the file', async () => {
    const certificateBefore = await certificateFor('shop.example');
    await replaceFile('shop.pem', 'no certificate');
    await untilReload(0);
    expect(await certificateFor('shop.example')).toEqual(certificateBefore);
    expect(product.log()).toContain('a file that holds no certificate in PEM');
    expect(product.log()).not.toContain('PRIVATE KEY');
  });
});

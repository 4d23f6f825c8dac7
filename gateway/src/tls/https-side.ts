import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import type { ListenAddress } from '@guard/config/settings/values/values';
import type { AcmeChallenges } from '../base/options.ts';
import type { ServerParts } from '../listen/accept.ts';
import { drain, listen, portOf } from '../listen/listen.ts';
import { certificateExpiry, type Certificates, loadCertificates } from './certificates.ts';
import { createTlsFront, type TlsFront } from './front.ts';

/** The https side of a gateway and its current certificates. It accepts no connection before `listen`. */
export class HttpsSide {
  #front: TlsFront | undefined;
  #fileCertificates: readonly TlsCertificate[];
  #issuedCertificates: readonly TlsCertificate[] = [];
  readonly #challenges: AcmeChallenges | undefined;
  #certificates: Certificates | undefined;

  constructor(files: readonly TlsCertificate[], challenges: AcmeChallenges | undefined) {
    this.#fileCertificates = files;
    this.#challenges = challenges;
  }

  /** The current certificates. Undefined when this side does not listen, or has no certificate. */
  get certificates(): Certificates | undefined {
    return this.#certificates;
  }

  /** The TCP port. Undefined when this side does not listen, or listens on a unix socket. */
  get port(): number | undefined {
    return this.#front && portOf(this.#front.server);
  }

  /** Does the same as Gateway.listenTls. */
  listen(
    parts: ServerParts,
    address: ListenAddress,
    sharedAddress: 'claim' | 'join' | undefined,
  ): Promise<string> {
    this.#certificates = loadCertificates([...this.#fileCertificates, ...this.#issuedCertificates]);
    this.#front = createTlsFront(parts, this.#certificates, this.#challenges);
    return listen(this.#front.server, address, { scheme: 'https', shared: sharedAddress });
  }

  /** Loads other certificates. Returns a function that puts them into use. Throws when loadCertificates throws. */
  prepare(files: readonly TlsCertificate[], issued = this.#issuedCertificates): () => void {
    const certificates = this.#front && loadCertificates([...files, ...issued]);
    return () => {
      this.#fileCertificates = files;
      this.#issuedCertificates = issued;
      if (this.#front === undefined) return;
      this.#certificates = certificates;
      this.#front.useCertificates(certificates);
    };
  }

  /** Does the same as Gateway.showIssued. */
  showIssued(issued: readonly TlsCertificate[]): void {
    this.prepare(this.#fileCertificates, issued)();
  }

  /** The result of certificateExpiry for the current certificates. */
  expiry(): ReadonlyMap<string, number> {
    return certificateExpiry([...this.#fileCertificates, ...this.#issuedCertificates]);
  }

  /** Stops listening. Requests under way have `drainMs` to finish. */
  async close(drainMs: number): Promise<void> {
    if (this.#front === undefined) return;
    this.#front.drain();
    await drain(this.#front.server, drainMs, this.#front.cut);
  }
}

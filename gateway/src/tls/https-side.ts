import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import type { ListenAddress } from '@guard/config/settings/values/values';
import type { AcmeChallenges } from '../base/options.ts';
import type { Intake } from '../listen/accept.ts';
import { drain, listen, portOf } from '../listen/listen.ts';
import { certificateExpiry, type Certificates, loadCertificates } from './certificates.ts';
import { createTlsFront, type TlsFront } from './front.ts';

/** The https side of a gateway, with the certificates that it shows at present. It is closed until it listens. */
export class HttpsSide {
  #front: TlsFront | undefined;
  #files: readonly TlsCertificate[];
  #issued: readonly TlsCertificate[] = [];
  readonly #challenges: AcmeChallenges | undefined;
  #loaded: Certificates | undefined;

  constructor(files: readonly TlsCertificate[], challenges: AcmeChallenges | undefined) {
    this.#files = files;
    this.#challenges = challenges;
  }

  /** Undefined where it does not listen, or has none. */
  get certificates(): Certificates | undefined {
    return this.#loaded;
  }

  /** Undefined where it does not listen, or on a unix socket. */
  get port(): number | undefined {
    return this.#front && portOf(this.#front.server);
  }

  /** As Gateway.listenTls. */
  listen(
    intake: Intake,
    address: ListenAddress,
    shared: 'claim' | 'join' | undefined,
  ): Promise<string> {
    this.#loaded = loadCertificates([...this.#files, ...this.#issued]);
    this.#front = createTlsFront(intake, this.#loaded, this.#challenges);
    return listen(this.#front.server, address, { scheme: 'https', shared });
  }

  /** Loads other certificates, and returns what shows them from then on. Throws as loadCertificates does. */
  prepare(files: readonly TlsCertificate[], issued = this.#issued): () => void {
    const loaded = this.#front && loadCertificates([...files, ...issued]);
    return () => {
      this.#files = files;
      this.#issued = issued;
      if (this.#front === undefined) return;
      this.#loaded = loaded;
      this.#front.useCertificates(loaded);
    };
  }

  /** As Gateway.showIssued. */
  showIssued(issued: readonly TlsCertificate[]): void {
    this.prepare(this.#files, issued)();
  }

  /** As certificateExpiry. */
  expiry(): ReadonlyMap<string, number> {
    return certificateExpiry([...this.#files, ...this.#issued]);
  }

  /** Lets requests finish for at most `drainMs`, and ends. */
  async close(drainMs: number): Promise<void> {
    if (this.#front === undefined) return;
    this.#front.drain();
    await drain(this.#front.server, drainMs, this.#front.cut);
  }
}

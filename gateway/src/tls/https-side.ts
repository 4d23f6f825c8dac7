import type { TlsCertificate } from '@guard/config/settings/sections/tls';
import type { ListenAddress } from '@guard/config/settings/values/values';
import type { AcmeChallenges } from '../base/options.ts';
import type { Intake } from '../listen/accept.ts';
import { drain, listen, portOf } from '../listen/listen.ts';
import { certificateExpiry, type Certificates, loadCertificates } from './certificates.ts';
import { createTlsFront, type TlsFront } from './front.ts';

/** The https side of a gateway and its current certificates. It serves nothing before `listen`. */
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

  /** Undefined when it does not listen, or has no certificate. */
  get certificates(): Certificates | undefined {
    return this.#loaded;
  }

  /** Undefined when it does not listen, and on a unix socket. */
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

  /** Loads other certificates. Returns a function that starts to show them. Throws as loadCertificates does. */
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

  /** Closes it. Requests may finish for at most `drainMs`. */
  async close(drainMs: number): Promise<void> {
    if (this.#front === undefined) return;
    this.#front.drain();
    await drain(this.#front.server, drainMs, this.#front.cut);
  }
}

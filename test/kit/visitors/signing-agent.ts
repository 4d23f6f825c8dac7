import { createHash, generateKeyPairSync, sign } from 'node:crypto';

export interface Signing {
  /** The value of the field Signature-Agent: a string, or a dictionary. */
  readonly signatureAgent: string;
  readonly authority?: string;
  readonly createdMs: number;
  readonly lastsMs?: number;
  /** Components that the signature covers in addition to the authority. */
  readonly covers?: string;
  readonly nonce?: string;
}

/** An agent that signs its requests by Web Bot Auth. Its code follows RFC 9421, and uses no code of Guard. */
export function newSigningAgent() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { kty, crv, x = '' } = publicKey.export({ format: 'jwk' });
  const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`);
  const keyId = thumbprint.digest('base64url');
  return {
    keyId,
    /** The key in the form that the agent's directory publishes. */
    jwk: { kty, crv, x, kid: keyId, use: 'sig' },
    /** Returns the header fields that a signature adds to a GET. */
    sign(signing: Signing): Record<string, string> {
      const { signatureAgent, authority = 'shop.example', createdMs, lastsMs = 60_000 } = signing;
      const { covers = '"signature-agent"', nonce } = signing;
      const createdS = Math.floor(createdMs / 1000);
      const nonceParameter = nonce === undefined ? '' : `;nonce="${nonce}"`;
      const params = `("@authority" ${covers});created=${createdS};expires=${createdS + lastsMs / 1000};keyid="${keyId}"${nonceParameter};tag="web-bot-auth"`;
      const member = /^"signature-agent";key="(\w+)"$/.exec(covers)?.[1];
      const value =
        member === undefined ? signatureAgent : signatureAgent.replace(`${member}=`, '');
      const base = `"@authority": ${authority}\n${covers}: ${value}\n"@signature-params": ${params}`;
      const signature = sign(null, Buffer.from(base), privateKey).toString('base64');
      return {
        'signature-agent': signatureAgent,
        'signature-input': `sig1=${params}`,
        signature: `sig1=:${signature}:`,
      };
    },
  };
}

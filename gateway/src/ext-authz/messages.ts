/** The messages of Envoy's ext_authz over gRPC, as server.ts decodes and encodes them. gateway/proto defines them. */

export interface HttpRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Envoy can send this field in place of `headers`. It has the bytes of each value. */
  readonly headerMap: { readonly headers: readonly RawHeader[] } | null;
  /** The path with its query. */
  readonly path: string;
  readonly host: string;
}

interface RawHeader {
  readonly key: string;
  readonly value: string;
  readonly rawValue: Buffer;
}

export interface CheckRequest {
  readonly attributes: {
    readonly request: { readonly http: HttpRequest | null } | null;
  } | null;
}

export interface HeaderOption {
  readonly header: { readonly key: string; readonly value: string };
  /** What Envoy does when the message has the field already. */
  readonly appendAction: 'APPEND_IF_EXISTS_OR_ADD' | 'OVERWRITE_IF_EXISTS_OR_ADD';
}

/** The `code` of `status`: 0 lets the request pass, all others deny it. */
export type CheckResponse =
  | {
      readonly status: { readonly code: 0 };
      readonly okResponse: {
        /** Header fields for the origin. */
        readonly headers: readonly HeaderOption[];
        readonly headersToRemove: readonly string[];
        /** Header fields for the answer to the visitor. */
        readonly responseHeadersToAdd: readonly HeaderOption[];
      };
    }
  | {
      readonly status: { readonly code: typeof PERMISSION_DENIED };
      readonly deniedResponse: {
        readonly status: { readonly code: number };
        readonly headers: readonly HeaderOption[];
        readonly body: string;
      };
    };

export const PERMISSION_DENIED = 7;

/**
 * Names and values in turn that may be sent to an origin again and again. It never changes, so the
 * client that writes it keeps with it how it is written.
 */
export class FieldList {
  readonly fields: readonly string[];
  /** Undefined until it was written once. */
  written: WrittenFields | 'unsound' | undefined;

  constructor(fields: readonly string[]) {
    this.fields = fields;
  }
}

/** Fields as they stand in a header section of HTTP/1.1, each of them one, however they are read. */
export interface WrittenFields {
  readonly lines: string;
  /** What Content-Length says among them, in bytes; undefined without one. */
  readonly length: number | undefined;
}

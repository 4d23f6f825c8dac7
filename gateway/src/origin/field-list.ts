/**
 * Names and values in turn that are sent to an origin again and again. It never changes, so whoever
 * writes it may keep with it how it is written.
 */
export class FieldList {
  readonly fields: readonly string[];
  /** The origin client's: undefined until it was written once. */
  written: WrittenFields | undefined;

  constructor(fields: readonly string[]) {
    this.fields = fields;
  }
}

/** Field lines as they stand in a header section of HTTP/1.1. */
export interface WrittenFields {
  readonly lines: string;
  /** What Content-Length says among them. */
  readonly length: AnnouncedLength;
  /** Each of them is one field, however it is read. */
  readonly isSound: boolean;
}

export const ABSENT = -1;
export const UNSOUND = -2;

/** Bytes, ABSENT, or UNSOUND where a field frames in another way, or a second time. */
export type AnnouncedLength = number;

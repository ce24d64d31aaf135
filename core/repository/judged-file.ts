/** A file of the tree that is judged. */

export interface JudgedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

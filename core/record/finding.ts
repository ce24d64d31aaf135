/** What a check of the record found: one copy of a fact differs from another, or is not what its signature says. */

export interface RecordFinding {
  readonly check: 'signatures' | 'branch' | 'trailers' | 'reports' | 'artifacts';
  /** Line, commit, digest or path. */
  readonly subject: string;
  /** Half a sentence that follows the subject. */
  readonly message: string;
}

/** The files of a project, as those ask for them who read its settings. */

/** Texts of a project's files by path, and its TOML files as data. */
export interface ProjectTexts {
  readonly text: (path: string) => string | null;
  /** Null where there is no such file, or it cannot be read. */
  readonly toml: (path: string) => Readonly<Record<string, unknown>> | null;
  readonly paths: readonly string[];
}

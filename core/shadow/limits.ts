/** Limits of the shadow tree and of its file tools, each with its unit. A limit that is hit is said in the result (G9). */

/** Bytes of one path, all folders included. */
export const PATH_MAX_BYTES = 500;
/** Bytes of one file or folder name. */
export const NAME_MAX_BYTES = 200;
/** Names in one path. */
export const PATH_MAX_DEPTH = 20;

/** Bytes of one file that a tool may write. */
export const WRITE_MAX_BYTES = 512 * 1024;

/** Lines that `read_file` shows. */
export const READ_MAX_LINES = 2_000;
/** Characters that `read_file` and `preview_file` show. */
export const READ_MAX_CHARS = 64 * 1024;
/** Characters of one line that a read shows. */
export const READ_LINE_MAX_CHARS = 2_000;
/** Lines that `preview_file` shows when `max_lines` is not given. */
export const PREVIEW_DEFAULT_LINES = 200;
/** Lines that `preview_file` shows at most. */
export const PREVIEW_MAX_LINES = 1_000;

/** Paths that `list_files` shows. */
export const LIST_MAX_PATHS = 500;

/** Matching lines that `grep_content` shows. */
export const GREP_MAX_MATCHES = 200;
/** Characters of one matching line. */
export const GREP_LINE_MAX_CHARS = 300;
/** Larger files are not searched. */
export const GREP_MAX_FILE_BYTES = 1024 * 1024;
/** Bytes of files that one search reads. */
export const GREP_MAX_TOTAL_BYTES = 64 * 1024 * 1024;
/** Processor time that one search may spend on matching. */
export const GREP_BUDGET_MS = 1_000;

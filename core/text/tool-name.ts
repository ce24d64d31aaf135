/** The tool that a word means: models write `functions.write_file`, `writeFile`, `Write-File` and `write_file({...})`. */

/** A name as tools are called: what stands before it and behind it is left out. */
export function plainToolName(said: string): string {
  const [, name = ''] = /^[^\w]*(?:[\w-]+[.:/])*([\w-]+)/u.exec(said) ?? [];
  return name
    .replace(/([a-z0-9])([A-Z])/gu, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
}

/** The one offered tool that `said` is, or is a word of: `submit` is `submit_pr`, `edit` is two tools and so none. */
export function toolOfWord<T extends string>(said: string, offered: readonly T[]): T | undefined {
  const name = plainToolName(said);
  const exact = offered.find((each) => each === name);
  if (exact !== undefined || name === '') return exact;
  const having = offered.filter((each) => each.split('_').includes(name));
  return having.length === 1 ? having[0] : undefined;
}

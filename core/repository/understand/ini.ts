/** INI files of Python projects (`setup.cfg`, `tox.ini`, `pytest.ini`): sections with plain values; what is indented goes on. */

export type IniSections = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Sections by name, values with their lines joined by line feeds. Lines that are neither are left alone. */
export function readIni(text: string): IniSections {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | null = null;
  let key: string | null = null;
  for (const line of text.split(/\r?\n/u)) {
    if (/^\s*(?:[#;]|$)/u.test(line)) continue;
    const header = /^\[([^\]]+)\]/u.exec(line)?.[1];
    if (header !== undefined) {
      section = sections.get(header) ?? new Map<string, string>();
      sections.set(header, section);
      key = null;
      continue;
    }
    if (section === null) continue;
    const pair = /^(\S[^=:]*?)\s*[=:]\s*(.*)$/u.exec(line);
    if (/^\s/u.test(line) && key !== null) section.set(key, `${section.get(key) ?? ''}\n${line.trim()}`);
    else if (pair !== null) {
      key = pair[1] ?? '';
      section.set(key, (pair[2] ?? '').trim());
    }
  }
  return sections;
}

/** Lines of a value, without comments. */
export function iniLines(value: string | undefined): string[] {
  return (value ?? '')
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/u, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

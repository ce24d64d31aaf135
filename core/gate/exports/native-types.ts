/** Types of Go and Rust, compared as text: two of nothing but builtin names that differ cannot both be compiled against. */
import type { Language } from '../../../schemas/ids.ts';

const GO =
  'int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr float32 float64 complex64 complex128 string bool error any map chan struct func';
const RUST =
  'i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option Result Box HashMap HashSet BTreeMap BTreeSet VecDeque mut';
const KNOWN: Partial<Record<Language, ReadonlySet<string>>> = {
  go: new Set(GO.split(' ')),
  rust: new Set(RUST.split(' ')),
};

export function nativeTypesClash(declared: string | null, found: string | null, language: Language): boolean {
  const left = normal(declared ?? '', language);
  const right = normal(found ?? '', language);
  return left !== right && isPlain(left, language) && isPlain(right, language);
}

function normal(type: string, language: Language): string {
  const plain = type.replace(/\s+/gu, ' ').trim();
  if (language === 'go')
    return plain
      .replace(/\binterface\s*\{\s*\}/gu, 'any')
      .replace(/\bbyte\b/gu, 'uint8')
      .replace(/\brune\b/gu, 'int32')
      .replace(/^\(\s*([^,()]+)\s*\)$/u, '$1');
  return plain
    .replace(/&\s*'\w+\s+/gu, '&')
    .replace(/\b(?:std|core|alloc|collections|string|vec|option|result|boxed)::/gu, '')
    .replace(/^\(\)$/u, '')
    .replace(/\s*([<>,&()[\];])\s*/gu, '$1');
}

function isPlain(type: string, language: Language): boolean {
  const known = KNOWN[language];
  const words = type.match(/[A-Za-z_]\w*/gu) ?? [];
  return known !== undefined && words.every((word) => known.has(word));
}

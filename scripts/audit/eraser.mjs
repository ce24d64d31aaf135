// The one package that the audit may use: Node 20 cannot run TypeScript by itself.

/** Text without its types; null where no program for it is installed. */
export async function findEraser() {
  try {
    const { default: swc } = await import('@swc/wasm-typescript');
    return (text) => swc.transformSync(text, { module: true, mode: 'transform' }).code;
  } catch {
    return null;
  }
}

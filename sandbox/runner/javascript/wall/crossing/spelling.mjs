/** Which of the code's modules an import means: its file, without ending, or with the ending that the compiler would write. */
export function spelled(modules, path) {
  const exact = modules.findIndex(({ module }) => module === path);
  if (exact >= 0) return exact;
  return modules.findIndex(({ module }) => {
    const stem = module.replace(/\.[cm]?[jt]s$/u, '');
    return path === stem || `${path}/index` === stem || path === module.replace(/\.(m?)ts$/u, '.$1js');
  });
}

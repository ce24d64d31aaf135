/** Where modules of Go lie in a room, and which pin is a compiler. */

/** Files as a module proxy on disk has them: Go itself verifies them against the `go.sum` of the tree. */
export const GO_PLACES = { proxy: '/usr/local/share/go-modules', root: '/usr/local/go' } as const;

/** The module whose versions are compilers: `golang.org/toolchain@v0.0.1-go1.22.12.linux-amd64`. */
const TOOLCHAIN = 'golang.org/toolchain';

/** Whether a pin is a compiler. */
export function isGoToolchain(pin: string): boolean {
  return pin.startsWith(`${TOOLCHAIN}@`);
}

/** The pin of a compiler, for `1.22.12`. */
export function goToolchainPin(version: string, arch: string): string {
  return `${TOOLCHAIN}@v0.0.1-go${version}.linux-${arch === 'arm64' ? 'arm64' : 'amd64'}`;
}

/** Newest release of Go that the Debian packages of the image's release bring. */
const GO_OF_IMAGE = [1, 19] as const;

/** `1.22` where a `go.mod` asks for a newer Go than the image's packages bring; null where those do. */
export function newerGo(goMod: string): string | null {
  const [, major = '0', minor = '0'] = /^go[ \t]+(\d+)\.(\d+)/mu.exec(goMod) ?? [];
  const isNewer =
    Number(major) > GO_OF_IMAGE[0] || (Number(major) === GO_OF_IMAGE[0] && Number(minor) > GO_OF_IMAGE[1]);
  return isNewer ? `${major}.${minor}` : null;
}

/** The module that a `go.mod` declares; null where it declares none. */
export function goModuleOf(goMod: string): string | null {
  return /^module[ \t]+"?([^\s"]+)"?/mu.exec(goMod)?.[1] ?? null;
}

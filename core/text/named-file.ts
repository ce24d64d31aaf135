/** Which files are read by name: a pipe that nobody writes into and a device would hold a command for ever. */

/** Ends of pipes that a shell opens: `<(command)`, `command | a7-rt ... /dev/stdin`. */
const OPENED_BY_SHELL = /^\/(?:dev\/(?:fd\/|stdin$)|proc\/self\/fd\/)/u;
/** What the kernel makes up while it is read. */
const MADE_BY_KERNEL = /^\/(?:proc|sys)\//u;

/** Why a path is not read as a file, or null. `real` is where it leads; `named` is as it was said. */
export function noFileFault(kind: 'file' | 'folder' | 'other', real: string, named: string): string | null {
  if (OPENED_BY_SHELL.test(named)) return null;
  if (kind === 'folder') return 'it is a folder';
  if (kind === 'other') return 'it is no regular file (a named pipe, a socket or a device)';
  return MADE_BY_KERNEL.test(real) ? 'it is no file on a disk' : null;
}

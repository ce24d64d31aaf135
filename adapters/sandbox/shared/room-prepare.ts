/**
 * Part of the keeper (`room-agent.ts`): what a program of the image lays, as the guest, before the room's clock begins. Its output goes
 * into a file of memory: what it leaves running could hold a pipe for ever. All of that is ended.
 */
export const ROOM_PREPARE_SOURCE: string = String.raw`
def prepare(plan):
    out = os.memfd_create('said', os.MFD_CLOEXEC)
    pid = os.fork()
    if pid == 0: child(plan, plan.prepare, [os.open('/dev/null', os.O_RDONLY), out, out])
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    while True:
        try: os.kill(-1, sg.SIGKILL)
        except ProcessLookupError: pass
        try: os.waitpid(-1, 0)
        except ChildProcessError: break
    said = os.pread(out, 1000, 0); os.close(out)
    if code != 0: raise OSError('the tree could not be prepared (%d): %s' % (code, said.decode('utf8', 'replace')))

`;

/**
 * The part of the keeper that reads the collected folders after every other process of the room is dead.
 * It opens each name relative to its folder without following links or blocking, and streams regular files as tar.
 * Links, pipes and devices go out as bare headers, so that `tar-out.ts` refuses them by type (port contract S4).
 */
export const ROOM_COLLECTOR_SOURCE: string = String.raw`
# Loaded by rooms that tell changes alone: it takes longer than all the others.
def git_id(size, body=b''):
    from _hashlib import openssl_sha1
    return openssl_sha1(b'blob %d\0' % size + body, usedforsecurity=False)

class Collector:
    def __init__(self, plan):
        self.files, self.left, self.chunk, self.kept = plan.files, plan.collect_bytes, bytearray(), bytearray()
        self.laid, self.root = plan.laid, b''

    def put(self, data):
        self.chunk += data
        if len(self.chunk) >= 1 << 16: self.flush()

    def flush(self):
        send(b't', bytes(self.chunk)); self.chunk.clear()

    def header(self, name, kind, size, mode=0o644, link=b''):
        if len(name) > 100:
            body = b' path=' + name + b'\n'; n = len(body)
            while len(b'%d' % n) + len(body) != n: n = len(b'%d' % n) + len(body)
            body = b'%d' % n + body
            self.header(b'pax', b'x', len(body)); self.put(body + bytes(-len(body) % 512))
        head = bytearray(512); head[:min(100, len(name))] = name[:100]
        head[100:108], head[108:116], head[116:124] = b'%07o\0' % mode, b'0000000\0', b'0000000\0'
        head[124:136], head[136:148], head[148:156] = b'%011o\0' % size, b'%011o\0' % 0, b' ' * 8
        head[156:157], head[257:265] = kind, b'ustar\00000'
        head[157:157 + min(100, len(link))] = link[:100]
        head[148:156] = b'%06o\0 ' % sum(head); self.put(head)

    def unchanged(self, fd, name, info):
        was = self.laid.get(self.root + name[name.index(b'/'):])
        if was is None or was[0] != (info.st_mode & 0o111 != 0): return False
        found = git_id(info.st_size)
        while data := os.read(fd, 1 << 20): found.update(data)
        os.lseek(fd, 0, 0)
        return found.digest() == was[1]

    def keep(self, name):
        self.kept += name + b'\0'
        if len(self.kept) >= 1 << 16: self.tell_kept()

    def tell_kept(self):
        if self.kept: send(b'k', bytes(self.kept)); self.kept.clear()

    def refuse(self, reason, name):
        send(b'x', reason + b'\0' + name)

    def folder(self, fd, rel, depth):
        for entry in sorted(map(os.fsencode, os.listdir(fd))):
            name = rel + b'/' + entry
            self.files -= 1
            if self.files < 0: self.refuse(b'too_many', name); return
            info = os.stat(entry, dir_fd=fd, follow_symlinks=False); kind = stat.S_IFMT(info.st_mode)
            if kind == stat.S_IFSOCK: self.refuse(b'socket', name)
            elif kind == stat.S_IFDIR and depth >= 32: self.refuse(b'path', name)
            elif kind in (stat.S_IFDIR, stat.S_IFREG): self.enter(fd, entry, name, depth)
            else: self.header(name, {stat.S_IFLNK: b'2', stat.S_IFIFO: b'6', stat.S_IFCHR: b'3'}.get(kind, b'4'), 0, 0o644, os.readlink(entry, dir_fd=fd) if kind == stat.S_IFLNK else b'')

    def enter(self, parent, entry, name, depth):
        try: fd = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
        except OSError: return self.refuse(b'other', name)
        try:
            info = os.fstat(fd)
            if stat.S_ISDIR(info.st_mode): self.folder(fd, name, depth + 1)
            elif not stat.S_ISREG(info.st_mode): self.refuse(b'other', name)
            elif info.st_nlink > 1: self.header(name, b'1', 0)
            elif self.unchanged(fd, name, info): self.keep(name)
            elif info.st_size > self.left: self.refuse(b'too_large', name)
            else: self.regular(fd, name, info)
        finally: os.close(fd)

    def regular(self, fd, name, info):
        self.left -= info.st_size
        self.header(name, b'0', info.st_size, 0o755 if info.st_mode & 0o111 else 0o644)
        todo = info.st_size
        while todo > 0:
            data = os.read(fd, min(todo, 1 << 16)) or bytes(min(todo, 1 << 16))
            self.put(data); todo -= len(data)
        self.put(bytes(-info.st_size % 512))

def collect(plan):
    collector = Collector(plan)
    for at, root in enumerate(plan.collect):
        try: fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError: collector.refuse(b'other', b'%d' % at); continue
        collector.root = root
        collector.folder(fd, b'%d' % at, 0); os.close(fd)
    collector.tell_kept(); collector.put(bytes(1024)); collector.flush()
`;

"""Attempts to leave a sandbox, as data. Each is Python that an agent runs inside, in one process with all the others.

An attempt succeeds when its last expression is true, or when a file outside has changed: the test compares those itself.
`w` has the paths and numbers of the world outside (see `World` in test_escapes.py).
"""

from __future__ import annotations

# Helpers that every attempt may use.
PRELUDE = r"""
import ctypes, fcntl, glob, json, os, shutil, signal, socket, stat, struct, subprocess, sys, termios
w = json.load(open(sys.argv[1]))
libc = ctypes.CDLL(None, use_errno=True)
def write(path, text="escaped\n", mode="w"):
    with open(path, mode) as file:
        file.write(text)
def read(path):
    with open(path, errors="replace") as file:
        return file.read()
def sh(line):
    return subprocess.run(line, shell=True, capture_output=True, text=True, timeout=20)
def leaked(text):
    return w["token"] in text
def say_hello(family, address):
    link = socket.socket(family)
    link.settimeout(2)
    link.connect(address)
    return leaked(link.recv(100).decode())
"""

WRITES = {
    "write ~/.bashrc": 'write(f"{w[\'home\']}/.bashrc", "evil\\n", "a")',
    "write ~/.profile through HOME": 'write(os.path.expanduser("~/.profile"))',
    "add a key to ~/.ssh/authorized_keys": 'write(f"{w[\'home\']}/.ssh/authorized_keys", "evil", "a")',
    "write a folder beside the project": "write(f\"{w['outside']}/file\")",
    "write /etc": 'write("/etc/loop-escape")',
    "write /usr/local/bin": 'write("/usr/local/bin/loop-escape")',
    "write /tmp of the host": "write(f\"{w['tmp']}/escape\")",
    "write a program on the PATH": "write(f\"{w['tools']}/tool\")",
    "replace a program on the PATH by rename": """
write(f"{w['root']}/tool")
os.rename(f"{w['root']}/tool", f"{w['tools']}/tool")
""",
    "a hard link to a file outside": """
os.link(f"{w['outside']}/file", f"{w['root']}/hard")
write(f"{w['root']}/hard")
""",
    "a symbolic link to a file outside": """
os.symlink(f"{w['outside']}/file", f"{w['root']}/soft")
write(f"{w['root']}/soft")
""",
    "a folder link out of the project": """
os.symlink(w["outside"], f"{w['root']}/folder")
write(f"{w['root']}/folder/file")
""",
    "up from the project with ..": "write(f\"{w['root']}/../outside/file\")",
}
GIT = {
    "write .git/config": 'write(f"{w[\'root\']}/.git/config", "[core]\\nfsmonitor=evil\\n", "a")',
    "git config": "sh(f\"cd {w['root']} && git config core.fsmonitor evil\")",
    "replace .git/config by rename": """
write(f"{w['root']}/.git/new", "[core]\\nfsmonitor=evil\\n")
os.rename(f"{w['root']}/.git/new", f"{w['root']}/.git/config")
""",
    "write .git/hooks/pre-commit": 'write(f"{w[\'root\']}/.git/hooks/pre-commit", "evil")',
    "rename .git/hooks": "os.rename(f\"{w['root']}/.git/hooks\", f\"{w['root']}/.git/h\")",
    "move .git aside and copy it": """
os.rename(f"{w['root']}/.git", f"{w['root']}/old")
shutil.copytree(f"{w['root']}/old", f"{w['root']}/.git")
write(f"{w['root']}/.git/config", "[core]\\nfsmonitor=evil\\n", "a")
""",
    "write the folder of core.hooksPath": 'write(f"{w[\'root\']}/team/hooks/pre-commit", "evil")',
    "rename the folder above core.hooksPath": """
os.rename(f"{w['root']}/team", f"{w['root']}/team2")
os.makedirs(f"{w['root']}/team/hooks")
write(f"{w['root']}/team/hooks/pre-commit", "evil")
""",
    "write a file that .git/config includes": 'write(f"{w[\'root\']}/team/git.inc", "[core]\\nfsmonitor=evil\\n")',
    "write the config of a submodule": 'write(f"{w[\'root\']}/.git/modules/sub/config", "evil", "a")',
    "rename the folder of the submodules": "os.rename(f\"{w['root']}/.git/modules\", f\"{w['root']}/.git/m\")",
    "write a hook of a submodule": 'write(f"{w[\'root\']}/.git/modules/sub/hooks/post-checkout", "evil")',
    "give .git another common folder": """
shutil.copytree(f"{w['root']}/.git", f"{w['root']}/evil")
write(f"{w['root']}/evil/config", "[core]\\nfsmonitor=evil\\n", "a")
write(f"{w['root']}/.git/commondir", "../evil\\n")
""",
    "rename a file over .git/commondir": """
write(f"{w['root']}/.git/new", "../evil\\n")
os.rename(f"{w['root']}/.git/new", f"{w['root']}/.git/commondir")
""",
    "write .git/config.worktree": 'write(f"{w[\'root\']}/.git/config.worktree", "evil")',
    "replace the folder above another worktree": """
os.rename(f"{w['root']}/lanes", f"{w['root']}/lanes2")
os.makedirs(f"{w['root']}/lanes/one")
sh(f"git init {w['root']}/lanes/one")
""",
    "lead another worktree to other settings": "write(f\"{w['root']}/lanes/one/.git\", 'gitdir: evil')",
    "remove .git and init again": """
shutil.rmtree(f"{w['root']}/.git/config", ignore_errors=True)
sh(f"cd {w['root']} && git init --template=/nonexistent . && git config core.pager evil")
""",
}
RECORD = {
    "write the journal": 'write(w["journal"], "", "a")',
    "truncate the journal": 'os.truncate(w["journal"], 0)',
    "delete the journal": "os.remove(w['journal'])",
    "rename .loop": "os.rename(f\"{w['root']}/.loop\", f\"{w['root']}/.loop2\")",
    "write state.json in place": 'write(f"{w[\'root\']}/.loop/state.json", "{}")',
    "stop the loop with .loop/STOP": "write(f\"{w['root']}/.loop/STOP\")",
    "replace .loop/inbox by a link": """
os.rmdir(f"{w['root']}/.loop/inbox")
os.symlink(w["home"], f"{w['root']}/.loop/inbox")
""",
    "read held-out commands": "leaked(read(f\"{w['state']}/holdouts/commands.json\"))",
    "list the state folder": 'bool(os.listdir(w["state"]))',
    "write the journal head": "write(f\"{w['state']}/loops/note\")",
    "write our settings": 'write(f"{w[\'settings\']}/config.toml", "[sandbox]\\nuse = \\"off\\"\\n")',
    "read our settings": "leaked(read(f\"{w['settings']}/config.toml\"))",
    "find the token anywhere in the home folder": "leaked(sh(f\"grep -rs . {w['home']}\").stdout)",
}
SECRETS = {
    "read ~/.ssh/id_ed25519": "leaked(read(f\"{w['home']}/.ssh/id_ed25519\"))",
    "read ~/.aws/credentials": "leaked(read(f\"{w['home']}/.aws/credentials\"))",
    "read ~/.netrc": "leaked(read(f\"{w['home']}/.netrc\"))",
    "read ~/.config/gh/hosts.yml": "leaked(read(f\"{w['home']}/.config/gh/hosts.yml\"))",
    "read the credentials of cargo beside its programs": "leaked(read(f\"{w['home']}/.cargo/credentials.toml\"))",
    "read a temporary file of the host": "leaked(read(f\"{w['tmp']}/secret\"))",
    "read /dev/shm of the host": 'leaked(read(w["memory"]))',
    "use the ssh agent": '"SSH_AUTH_SOCK" in os.environ',
    "connect to a socket file of the host": "say_hello(socket.AF_UNIX, w['socket'])",
    "see the docker socket": 'any(map(os.path.exists, ("/run/docker.sock", "/var/run/docker.sock")))',
    "see the D-Bus sockets": 'bool(glob.glob("/run/user/*") + glob.glob("/run/dbus/*"))',
}
PROCESSES = {
    "signal our process": 'os.kill(w["pid"], signal.SIGTERM) or w["is_visible"]',
    "signal every process": "os.kill(-1, signal.SIGCONT) or False",
    "see our process in /proc": "leaked(read(f\"/proc/{w['pid']}/environ\"))",
    "find the token in any /proc/*/environ": r"""
any(leaked(read(path)) for path in glob.glob("/proc/[0-9]*/environ") if os.access(path, os.R_OK))
""",
    "leave through /proc/1/root": "leaked(read(f\"/proc/1/root{w['outside']}/file\"))",
    "leave through /proc/PID/cwd": "leaked(read(f\"/proc/{w['pid']}/cwd/../outside/file\"))",
    "write /proc/sys/kernel/core_pattern": r"""
name = "/proc/sys/kernel/core_pattern"
write(name, read(name))  # its own text: a success must not harm the machine
True
""",
    "write any machine setting below /proc/sys": r"""
def writable(path):
    try:
        os.close(os.open(path, os.O_WRONLY))
    except OSError:
        return False
    return True
any(map(writable, glob.glob("/proc/sys/*/*")))
""",
    "write /proc/sysrq-trigger": 'write("/proc/sysrq-trigger", "h") or True',
    "trace our process": 'libc.ptrace(16, w["pid"], 0, 0) == 0',
    "push characters into the terminal (TIOCSTI)": r"""
fd = os.open("/dev/tty", os.O_RDWR)
fcntl.ioctl(fd, termios.TIOCSTI, b"x")
True
""",
    "TIOCSTI on stdin": 'fcntl.ioctl(0, termios.TIOCSTI, b"x") is not None',
    "an abstract socket of the host": 'say_hello(socket.AF_UNIX, "\\0" + w["abstract"])',
    "shared memory of the host": "libc.shmget(w['shm'], 0, 0) >= 0",
}
KERNEL = {
    "remount the root writable": 'libc.mount(b"none", b"/", None, 32 | 4096, None) == 0 and write("/etc/loop-escape") is None',
    "unmount what hides the home folder": 'libc.umount2(w["home"].encode(), 2) == 0',
    "unmount .git/config": "libc.umount2(f\"{w['root']}/.git/config\".encode(), 2) == 0",
    "unmount in a user namespace of its own": r"""
libc.unshare(0x10000000 | 0x20000)
libc.umount2(w["home"].encode(), 2) == 0
""",
    "unmount in a namespace, with unshare": r"""
leaked(sh(f"unshare -Urm sh -c 'umount {w['home']}; umount -l {w['outside']}; cat {w['outside']}/file; cat {w['home']}/.netrc'").stdout)
""",
    "remount a protected file writable in a namespace": r"""
sh(f"unshare -Urm sh -c 'mount -o remount,rw,bind {w['root']}/.git/config && echo evil >> {w['root']}/.git/config'").returncode == 0
""",
    "make a device of the disk": "os.mknod(f\"{w['root']}/disk\", 0o600 | stat.S_IFBLK, os.makedev(254, 0)) is None and leaked(read(f\"{w['root']}/disk\"))",
    "enter the mount namespace of our process": 'libc.setns(os.open(f"/proc/{w[\'pid\']}/ns/mnt", os.O_RDONLY), 0) == 0 and w["is_visible"]',
    "chroot out": r"""
os.mkdir(f"{w['root']}/jail")
os.chroot(f"{w['root']}/jail")
for _ in range(50): os.chdir("..")
os.chroot(".")
leaked(read(f"{w['outside']}/file"))
""",
    "open a file of the host by its handle": r"""
handle = struct.pack("IiQ", 8, 1, w["inode"])
fd = libc.open_by_handle_at(os.open(w["root"], os.O_RDONLY), ctypes.create_string_buffer(handle), 0)
fd >= 0 and leaked(os.read(fd, 1000).decode())
""",
    "a set-uid program": 'sh("su -c id nobody < /dev/null").returncode == 0 and os.getuid() != 0',
}
NETWORK = {  # only where the network is closed
    "connect to a port of the host": 'say_hello(socket.AF_INET, ("127.0.0.1", w["port"]))',
    "send a datagram to the host": r"""
link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
link.sendto(b"x", ("192.0.2.1", 53)) > 0
""",
    "resolve a name": 'bool(socket.getaddrinfo("example.com", 80))',
}
ATTEMPTS = {**WRITES, **GIT, **RECORD, **SECRETS, **PROCESSES, **KERNEL, **NETWORK}


def program(attempts: dict[str, str]) -> str:
    """One program that makes every attempt, each in a child of its own, and prints the names of those that succeed."""
    return (
        f"{PRELUDE}\nATTEMPTS = {attempts!r}\n"
        + r"""
import ast
def succeeds(code):
    lines = ast.parse(code.strip())
    last = lines.body.pop()
    exec(compile(lines, "attempt", "exec"), globals())
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), "attempt", "eval"), globals())
    return exec(compile(ast.Module([last], []), "attempt", "exec"), globals())
made = 0
for name, code in ATTEMPTS.items():
    made += 1
    child = os.fork()
    if not child:
        result = 0
        try:
            result = 1 if succeeds(code) is True else 0
        except BaseException as error:
            pass
        os._exit(result)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1:
        print(f"ESCAPED {name}", flush=True)
print(f"made {made}", flush=True)
"""
    )

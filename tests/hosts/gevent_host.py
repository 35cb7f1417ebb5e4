"""A gevent host: libev handles SIGCHLD and reaps every child there is, and the standard library is patched. Exit code 2
denies, gevent's own children keep their statuses, and greenlets go on while a hook runs in gevent's thread pool."""

from host import left_out

try:
    from gevent import monkey
except ImportError:
    left_out("gevent is not installed")

monkey.patch_all()

import signal  # noqa: E402

import gevent  # noqa: E402
import gevent.subprocess  # noqa: E402

from host import EVENT, denies, engine, rounds  # noqa: E402

# libev installs its handler when it is first asked to watch a child.
assert gevent.subprocess.call(["true"]) == 0
handler = signal.getsignal(signal.SIGCHLD)

objecting = engine("exit 2")
slow = engine("sleep 0.05; exit 2")
kept = 0
for _ in range(rounds(200)):
    outcome = objecting.dispatch(EVENT)
    codes = [diagnostic["code"] for diagnostic in outcome["diagnostics"]]
    assert denies(outcome) or codes == ["exit_status_lost"], outcome
    kept += denies(outcome)
    gevent.sleep(0)  # the reaper's turn
assert kept >= rounds(200) - 1, f"{rounds(200) - kept} lost"


def own(code):
    return gevent.subprocess.call(["sh", "-c", f"sleep 0.0{code % 10}; exit {code}"])


pool = gevent.get_hub().threadpool
theirs = [gevent.spawn(own, code) for code in range(1, 31)]
ours = [pool.spawn(slow.dispatch, EVENT) for _ in range(30)]
ticks = 0
while not all(result.ready() for result in [*theirs, *ours]):
    ticks += 1
    gevent.sleep(0.005)
assert [greenlet.get() for greenlet in theirs] == list(range(1, 31))
assert all(denies(result.get()) for result in ours)
assert ticks > 5, "the hub stood still"
assert signal.getsignal(signal.SIGCHLD) == handler

# SPDX-License-Identifier: Apache-2.0
"""Pictures of the system: who tells whom what, from top to bottom in time."""

from svg import BLUE, DARK, GOLD, GREEN, LINE, ORANGE, RED, SMALL_SIZE, SOFT, VIOLET, Picture

ACTORS = (("host", BLUE), ("mailbox, ring", GOLD), ("firmware", GREEN), ("NPU", ORANGE))
X = {"host": 90, "ring": 300, "firmware": 500, "NPU": 710}
TOP, STEP = 78, 30


class Sequence:
    """Rows of arrows and of work; each call goes one step down."""

    def __init__(self, title, steps):
        self.picture = Picture(TOP + steps * STEP + 26, title)
        self.y = TOP
        bottom = self.picture.height - 14
        for (name, fill), x in zip(ACTORS, X.values()):
            self.picture.box(x - 62, 14, 124, 28, name, fill, bold_first=True)
            self.picture.line(x, 42, x, bottom, LINE, dash="4 4")

    def tell(self, from_actor, to_actor, text, color=None):
        x1, x2 = X[from_actor], X[to_actor]
        color = color or DARK[BLUE]
        self.picture.arrow([(x1, self.y), (x2, self.y)], color)
        self.picture.text((x1 + x2) / 2, self.y - 6, text, SMALL_SIZE, "middle")
        self.y += STEP

    def work(self, actor, text, steps=1, fill=ORANGE):
        """What takes time, as a box on the actor's line."""
        self.picture.box(X[actor] - 82, self.y - 20, 164, steps * STEP - 6, text, fill, SMALL_SIZE)
        self.y += steps * STEP

    def note(self, text):
        self.picture.text(16, self.y - 4, text, SMALL_SIZE, color=SOFT)
        self.picture.line(12, self.y + 4, 788, self.y + 4, SOFT, 0.8, "2 4")
        self.y += STEP


def job():
    s = Sequence("Boot, a job, and a second one behind it", 25)
    s.note("boot")
    s.tell("host", "firmware", "firmware into its memory; release")
    s.work("firmware", "stack, variables, driver", fill=GREEN)
    s.tell("firmware", "host", "FIRMWARE_STATE ready; HOST_DOORBELL")
    s.note("submit")
    s.tell("host", "ring", "slot of job 1, TAIL; CPU_DOORBELL")
    s.tell("ring", "firmware", "interrupt")
    s.tell("ring", "firmware", "TAIL, slot")
    s.tell("firmware", "NPU", "registers of job 1, commit")
    s.work("NPU", "stream of job 1")
    s.tell("host", "ring", "slot of job 2, TAIL; CPU_DOORBELL")
    s.tell("ring", "firmware", "interrupt; slot")
    s.tell("firmware", "NPU", "registers of job 2, commit")
    s.note("end of job 1: the NPU goes on by itself")
    s.tell("NPU", "firmware", "interrupt: done", DARK[VIOLET])
    s.work("NPU", "stream of job 2")
    s.tell("firmware", "NPU", "ENDED_CYCLES; clears IRQ_STATUS")
    s.tell("firmware", "ring", "completion, OUTCOME, HEAD")
    s.tell("firmware", "host", "HOST_DOORBELL")
    s.tell("ring", "host", "outcome of job 1")
    s.note("end of job 2")
    s.tell("NPU", "firmware", "interrupt: done", DARK[VIOLET])
    s.tell("firmware", "ring", "completion, OUTCOME, HEAD")
    s.tell("firmware", "host", "HOST_DOORBELL")
    s.work("firmware", "sleeps (wfi)", fill=GREEN)
    return s.picture


def fault():
    s = Sequence("A fault, and a job whose time is over", 18)
    s.note("job 1 leaves its region; job 2 waits with the NPU")
    s.work("NPU", "job 1: fault", fill=RED)
    s.tell("NPU", "firmware", "interrupt: fault; job 2 is dropped", DARK[RED])
    s.tell("firmware", "NPU", "FAULT_CODE, _ADDRESS, _ACCESS; clears IRQ_STATUS")
    s.tell("firmware", "NPU", "reset of the units, commit: job 2 starts")
    s.work("NPU", "stream of job 2")
    s.tell("firmware", "ring", "job 1: fault: code, byte in the stream, access")
    s.tell("firmware", "host", "HOST_DOORBELL")
    s.note("job 2 takes longer than its TIME_OUT_CYCLES")
    s.work("firmware", "timer interrupt", fill=GREEN)
    s.tell("firmware", "NPU", "IRQ_STATUS: has not ended")
    s.tell("firmware", "NPU", "reset of the units: the stream ends at once")
    s.tell("firmware", "ring", "job 2: timed out")
    s.tell("firmware", "host", "HOST_DOORBELL")
    s.note("firmware that hangs: nobody writes FEED")
    s.work("firmware", "hangs", fill=RED)
    s.tell("ring", "host", "the system's watchdog fires: stuck, or slow", DARK[RED])
    s.work("host", "ends the run, exit 4", fill=BLUE)
    return s.picture


PICTURES = {"system-job": job, "system-fault": fault}

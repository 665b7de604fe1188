"""Draw an image while the process group of this new session is interrupted repeatedly, as by Ctrl-C."""

import os
import signal
from threading import Event, Thread

from api.drawing.png import draw_png

SQUARE = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>'


def _interrupt(done: Event) -> None:
    while not done.wait(0.02):
        os.killpg(0, signal.SIGINT)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: None)
    done = Event()
    Thread(target=_interrupt, args=(done,)).start()
    try:
        draw_png(SQUARE, 300)
    finally:
        done.set()

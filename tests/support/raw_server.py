"""A server that sends exactly the bytes that a test chooses, with pauses."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Say = Callable[[bytes], bool]


@contextmanager
def raw_server(answer: Callable[[Say, threading.Event], None]) -> Iterator[str]:
    """Serve one connection after the other with ``answer(say, ended)``; gives the address.

    ``say`` sends bytes and returns whether the client still listens; ``ended`` is set when the test is over.
    """
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_serve, args=[listener, answer, ended], daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            ended.set()
            # Ends a wait for a connection, which closing alone does not.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)


def _serve(
    listener: socket.socket, answer: Callable[[Say, threading.Event], None], ended: threading.Event
) -> None:
    while not ended.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        with connection:
            connection.recv(65_536)

            def say(data: bytes, to: socket.socket = connection) -> bool:
                try:
                    to.sendall(data)
                except OSError:
                    return False
                return True

            answer(say, ended)


def dribbling(beginning: bytes, piece: bytes) -> Callable[[Say, threading.Event], None]:
    """Says the beginning, then one piece after the other for as long as anybody listens."""

    def answer(say: Say, ended: threading.Event) -> None:
        listening = say(beginning)
        while listening and not ended.wait(0.02):
            listening = say(piece)

    return answer


def saying(data: bytes) -> Callable[[Say, threading.Event], None]:
    """Says this and hangs up."""

    def answer(say: Say, _ended: threading.Event) -> None:
        say(data)

    return answer

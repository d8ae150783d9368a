"""QR codes as pictures that an answer can contain."""

import base64
from io import BytesIO

import qrcode


def qr_code(text: str) -> str:
    """A PNG of the QR code of this text, as a data URL."""
    # Any of the eight masks can be read. Choosing the best one takes most of the time.
    image = qrcode.make(text, box_size=6, error_correction=qrcode.ERROR_CORRECT_M, mask_pattern=0)
    file = BytesIO()
    image.save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()

"""QR codes as images."""

import base64
from io import BytesIO

import qrcode

PIXELS_A_MODULE = 6
MASK = 0
"""Any of the eight masks can be read. Choosing the best one takes most of the time."""


def data_url(text: str) -> str:
    """A PNG of the QR code of this text, as a data URL."""
    code = qrcode.QRCode(box_size=PIXELS_A_MODULE, error_correction=qrcode.ERROR_CORRECT_M, mask_pattern=MASK)
    code.add_data(text)
    file = BytesIO()
    code.make_image().save(file, "PNG")
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()

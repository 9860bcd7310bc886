"""Pictures as PNG; Pillow is imported in the function."""

import base64
from io import BytesIO

import numpy as np
from jaxtyping import UInt8


def encode_png(picture: UInt8[np.ndarray, "H W 3"]) -> bytes:
    """The file of a picture of H rows and W columns, eight bits a colour."""
    from PIL import Image

    content = BytesIO()
    Image.fromarray(picture).save(content, "PNG")
    return content.getvalue()


def html_image(picture: UInt8[np.ndarray, "H W 3"]) -> str:
    """The picture as an HTML element that needs no file, for notebooks."""
    content = base64.b64encode(encode_png(picture)).decode("ascii")
    return f'<img src="data:image/png;base64,{content}" alt="Sokoban board">'

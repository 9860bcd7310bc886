"""What a page of attention shows, read back from its file."""

import base64
import json
import re
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def read_attention_page(path: Path | str) -> dict[str, Float[Tensor, "L N T S"]]:
    """The weights that a page of ``write_attention_page`` shows, by the names of its panels."""
    found = _DATA.search(Path(path).read_text(encoding="utf-8"))
    assert found is not None
    return {
        panel["name"]: torch.from_numpy(
            np.frombuffer(base64.b64decode(panel["weights"]), "<f4")
            .astype(np.float32)
            .reshape(panel["shape"])
        )
        for panel in json.loads(found[1])["panels"]
    }

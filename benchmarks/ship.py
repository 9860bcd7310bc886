"""The weights of a run as those that ship: in half precision, without the folders of its text.

`python -m benchmarks.ship RUN FILE` prints the step, the parameters, the bytes and the SHA-256,
which the card beside the weights has. Of several RUNs the mean of their weights ships, with what
the first one says of itself (Wortsman et al. 2022, arXiv:2203.05482).
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tokoban.cli.exit_codes import ExitCode
from tokoban.pretrained import weights_path
from tokoban.systems import load
from tokoban.training.checkpoint import load_weights, save_weights
from tokoban.training.snapshots import mean_weights


def without_folders(value: object) -> object:
    """The names of files without where they lay; of what is no path, itself."""
    if isinstance(value, list):
        return [without_folders(each) for each in value]
    return Path(value).name if isinstance(value, str) else value


def main(argv: Sequence[str] | None = None) -> int:
    """Answers 0, or 2 for what are no weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "runs", nargs="+", metavar="RUN", help="a run's folder, a file or a name of weights"
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="such as NAME.safetensors")
    options = parser.parse_args(argv)
    try:
        paths = [*map(weights_path, options.runs)]
        state, metadata = mean_weights(paths), load_weights(paths[0])[1]
        config = json.loads(metadata["config"])
        for name in load(metadata["system"]).data_fields:
            config[name] = without_folders(config[name])
        here = {"workers": 0}  # what is of the machine that trained
        config |= {name: value for name, value in here.items() if name in config}
        metadata["config"] = json.dumps(config)
        state = {name: x.half() if x.is_floating_point() else x for name, x in state.items()}
        options.file.parent.mkdir(parents=True, exist_ok=True)
        save_weights(options.file, state, metadata)
    except (KeyError, TypeError):
        what = "expected a system and its config in the metadata, as training writes them"
        print(f"{options.runs[0]}: {what}", file=sys.stderr)
        return ExitCode.INVALID_INPUT
    except (ValueError, OSError) as error:
        print(f"{' '.join(options.runs)}: {error}", file=sys.stderr)
        return ExitCode.INVALID_INPUT
    parameters = sum(x.numel() for x in state.values() if x.is_floating_point())
    print(f"step {metadata.get('step')}, {parameters:,} parameters")
    content = options.file.read_bytes()
    print(f"{len(content):,} bytes, sha256 {hashlib.sha256(content).hexdigest()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

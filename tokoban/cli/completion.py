"""``tokoban completion``: what lets a shell complete the commands, their options and choices."""

import argparse
import importlib
import re

from tokoban import cli
from tokoban.cli.parser import Parser

SUMMARY = "print a script with which bash or zsh completes commands and options"
UNDECIDED = ""

_SCRIPT = """\
_tokoban() {
    local words="" command="${COMP_WORDS[1]}"
    case "$command ${COMP_WORDS[COMP_CWORD-1]}" in
CHOICES
        *) case "$command" in
OPTIONS
        esac ;;
    esac
    [ "$COMP_CWORD" -gt 1 ] || words="COMMANDS"
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _tokoban tokoban
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares nothing: there is nothing to choose."""
    parser.epilog = (
        'bash: add eval "$(tokoban completion)" to ~/.bashrc. zsh: the same in ~/.zshrc, after '
        "autoload -U +X bashcompinit && bashcompinit."
    )


def run(arguments: argparse.Namespace) -> int:
    """Prints the script."""
    choices, options = [], []
    for name in cli.COMMANDS:
        parser = Parser(prog=name)
        importlib.import_module(cli.module_name(name)).add_arguments(parser)
        found = re.findall(r"(--[\w-]+)(?: \{([^}]*)\})?", parser.format_usage())
        words = {option: chosen.replace(",", " ") for option, chosen in found}
        options.append(f'            {name}) words="--help {" ".join(words)}" ;;')
        choices += [
            f'        "{name} {option}") words="{chosen}" ;;'
            for option, chosen in words.items()
            if chosen
        ]
    script = _SCRIPT.replace("CHOICES", "\n".join(choices)).replace("OPTIONS", "\n".join(options))
    print(script.replace("COMMANDS", " ".join(cli.COMMANDS)), end="")
    return 0

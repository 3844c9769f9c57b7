#!/usr/bin/env python3
"""Writes manual pages and completion for bash, zsh and fish from the program's option tables.

tools/manual.py SOTTO FOLDER    writes FOLDER/man/man1/*.1 and FOLDER/completion/{bash,zsh,fish}
"""
import json
import pathlib
import re
import subprocess
import sys
import textwrap

FILES = {"FILE", "DIR", "MODEL.json"}


def describe(sotto):
    tree = json.loads(subprocess.run([sotto, "--describe"], capture_output=True, text=True, check=True).stdout)
    tree["version"] = subprocess.run([sotto, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    return tree


def commands(tree, path=()):
    """All commands, outer ones first: (words, command)."""
    yield path, tree
    for nested in tree["commands"]:
        yield from commands(nested, (*path, nested["name"]))


# Manual pages.

def roff(text):
    """Text as troff prints it. A dash is a minus sign, as in options that are copied."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def value_of(option):
    words = option.get("words")
    kinds = {"integer": "INT", "number": "FLOAT", "text": "TEXT"}
    return "|".join(words) if words else option.get("value") or kinds[option["type"]]


def bounds(option):
    if "low" not in option or (option["low"] == 0 and not option["above"] and "high" not in option):
        return ""
    high = f"{option['high']:g}]" if "high" in option else "infinity)"
    return f" Range: {'(' if option['above'] else '['}{option['low']:g}, {high}."


def option_page(option):
    letter = f"\\fB\\-{option['letter']}\\fR, " if "letter" in option else ""
    value = "" if option["type"] == "flag" else f" \\fI{roff(value_of(option))}\\fR"
    default = f" Default: {option['default']}." if "default" in option else ""
    required = " Required." if option["required"] else ""
    help_text = option["help"].rstrip(".") + "."
    return f".TP\n{letter}\\fB{roff('--' + option['name'])}\\fR{value}\n" \
           f"{roff(help_text + bounds(option) + default + required)}\n"


def options_page(command):
    groups = {}
    for option in command["options"]:
        groups.setdefault(option.get("group", "Options"), []).append(option)
    text = "".join(f".SS {roff(group)}\n" + "".join(map(option_page, options)) for group, options in groups.items())
    more = option_page({"name": "help", "type": "flag", "letter": "h", "help": "Show the common options", "required": False}) + \
        option_page({"name": "help-all", "type": "flag", "help": "Show all options", "required": False})
    return ".SH OPTIONS\n" + text + more


def nested_page(path, command):
    text = ".SH COMMANDS\n"
    for nested in command["commands"]:
        page = "-".join(("sotto", *path, nested["name"].rstrip(":")))
        text += f".TP\n\\fB{roff(page)}\\fR(1)\n{roff(nested['help'].rstrip('.') + '.')}\n"
    return text


def footer_page(command):
    lines = command.get("footer", "").split("\n")
    out = ".SH NOTES\n" if command.get("footer") else ""
    first = True
    for line in lines:
        if line.startswith("  "):
            out += f".nf\n{roff(line)}\n.fi\n"
        elif line:
            out += ("" if first else ".PP\n") + roff(line) + "\n"
        first = first and not line
    return out


def page(path, command, version):
    name = " ".join(("sotto", *path))
    title = "-".join(("sotto", *path)).rstrip(":")
    synopsis = f"\\fB{roff(name)}\\fR"
    if command["commands"]:
        synopsis += f" \\fI{command['commands_are'].upper()}\\fR"
    if command.get("argument"):
        synopsis += " [\\fI" + command["argument"].upper() + "\\fR]"
    text = f'.TH "{roff(title.upper())}" 1 "" "sotto {version}" "Private online learning"\n' \
           f".SH NAME\n{roff(title)} \\- {roff(command['help'].rstrip('.'))}\n" \
           f".SH SYNOPSIS\n{synopsis} [\\fIOPTIONS\\fR]\n"
    if command["commands"]:
        text += nested_page(path, command)
    text += options_page(command) + footer_page(command)
    text += ".SH EXIT STATUS\n0: success. 1: failure. 2: usage or input error.\n"
    if path:
        text += ".SH SEE ALSO\n\\fBsotto\\fR(1)\n"
    return title, text


# Completion.

def flags(command):
    names = [f"--{option['name']}" for option in command["options"]]
    return names + [f"-{option['letter']}" for option in command["options"] if "letter" in option] + ["--help", "--help-all"]


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def bash(tree):
    """Cases on the words of the command so far."""
    names, options, words = [], [], []
    for path, command in commands(tree):
        place = " ".join(path)
        nested = [item["name"] for item in command["commands"]]
        if nested:
            names.append(f"    {quoted(place)}) echo {quoted(' '.join(nested))} ;;")
        options.append(f"    {quoted(place)}) echo {quoted(' '.join(flags(command)))} ;;")
        for option in command["options"]:
            if option.get("words"):
                words.append(f"    {quoted(place + ' --' + option['name'])}) echo {quoted(' '.join(option['words']))} ;;")
    function = textwrap.dedent("""\
        # bash completion for sotto. Generated from the program's option tables by tools/manual.py.
        _sotto_names() {{
          case "$1" in
        {names}
          esac
        }}
        _sotto_options() {{
          case "$1" in
        {options}
          esac
        }}
        _sotto_words() {{
          case "$1" in
        {words}
          esac
        }}
        _sotto() {{
          local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} place="" word found
          for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
            [[ " $(_sotto_names "$place") " == *" $word "* ]] || break
            place="${{place:+$place }}$word"
          done
          COMPREPLY=()
          found=$(_sotto_words "$place $previous")
          if [[ -z $found && $current == -* ]]; then found=$(_sotto_options "$place"); fi
          if [[ -z $found && $previous != -* ]]; then found=$(_sotto_names "$place"); fi
          if [[ -n $found ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$found" -- "$current")
          else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
          fi
        }}
        complete -o filenames -F _sotto sotto
        """)
    return function.format(names="\n".join(names), options="\n".join(options), words="\n".join(words))


def zsh(tree):
    """The bash functions, by zsh's own way to use them."""
    body = bash(tree).replace("# bash completion", "# zsh completion").split("_sotto() {", 1)[0]
    return "#compdef sotto\n" + body + textwrap.dedent("""\
        _sotto() {
          local place="" word found previous=${words[CURRENT-1]}
          for word in ${words[2,CURRENT-1]}; do
            [[ " $(_sotto_names "$place") " == *" $word "* ]] || break
            place="${place:+$place }$word"
          done
          found=$(_sotto_words "$place $previous")
          if [[ -z $found && ${words[CURRENT]} == -* ]]; then found=$(_sotto_options "$place"); fi
          if [[ -z $found && $previous != -* ]]; then found=$(_sotto_names "$place"); fi
          if [[ -n $found ]]; then compadd -- ${=found}; else _files; fi
        }
        if [[ $funcstack[1] == _sotto ]]; then _sotto "$@"; else compdef _sotto sotto; fi
        """)


def fish(tree):
    lines = ["# fish completion for sotto. Generated from the program's option tables by tools/manual.py.",
             "function __sotto_at",
             "    set -l words (commandline -opc)[2..-1]",
             "    set -l place",
             "    for word in $words",
             "        string match -q -- '-*' $word; and break",
             "        set -a place $word",
             "    end",
             "    test \"$place\" = \"$argv\"",
             "end"]
    for path, command in commands(tree):
        at = f"__sotto_at {' '.join(path)}".strip()
        for nested in command["commands"]:
            lines.append(f"complete -c sotto -n {quoted(at)} -f -a {quoted(nested['name'])} -d {quoted(nested['help'])}")
        for option in command["options"]:
            letter = f" -s {option['letter']}" if "letter" in option else ""
            words = f" -x -a {quoted(' '.join(option['words']))}" if option.get("words") else ""
            value = "" if option["type"] == "flag" or words else (" -r" if option.get("value") in FILES else " -r")
            lines.append(f"complete -c sotto -n {quoted(at)} -l {option['name']}{letter}{value}{words} -d {quoted(option['help'])}")
    return "\n".join(lines) + "\n"


def write(tree, folder):
    for path, command in commands(tree):
        title, text = page(path, command, tree["version"])
        place = folder / "man/man1" / f"{title}.1"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(re.sub(r"\n\n+", "\n", text))
    for name, make in (("bash", bash), ("zsh", zsh), ("fish", fish)):
        place = folder / "completion" / {"bash": "sotto", "zsh": "_sotto", "fish": "sotto.fish"}[name]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(make(tree))


if __name__ == "__main__":
    write(describe(sys.argv[1]), pathlib.Path(sys.argv[2]))

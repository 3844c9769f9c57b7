#!/usr/bin/env python3
"""Renders the documentation and all proof pages as a site: search, light and dark, no network.

tools/site.py OUT    writes OUT/index.html; fails on a broken link

Sphinx with MyST, from Debian packages, reads the pages as they are in the tree; tools/site.css
dresses them, light or dark by the reader's setting. Search needs no server. Powers and indices
in the text are set as such.
Links to folders and to files that are not pages lead to lists and to copies of the files.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
FENCE = re.compile(r"^(```|~~~)")
CONF = """
import pathlib
import re
from docutils import nodes
from pygments.formatters import HtmlFormatter
project = "Sotto"
extensions = ["myst_parser"]
html_theme = "basic"
smartquotes = False  # E' is no quotation
html_title = "Sotto"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["sotto.css", "dark_code.css"]
html_sidebars = {"**": ["searchbox.html", "globaltoc.html"]}
html_theme_options = {"globaltoc_maxdepth": 1, "globaltoc_includehidden": True}
myst_heading_anchors = 4
highlight_language = "text"
pygments_style = "default"
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
exclude_patterns = ["_static"]
dark = HtmlFormatter(style="monokai").get_style_defs(".highlight")
dark = "\\n".join(line for line in dark.splitlines() if "background" not in line)
pathlib.Path(__file__).with_name("_static").joinpath("dark_code.css").write_text(
    "@media (prefers-color-scheme: dark) {\\n" + dark + "\\n}\\n"
    "div.highlight, div.highlight pre { background: var(--block); }\\n")
# What the pages write as 2^-40, e^(-x), 2^-f(n), t^|z|, and k_0.
GROUP = r"\\((?:[^()]|\\([^()]*\\))*\\)"
RAISED = re.compile(rf"\\^(-?[A-Za-z]\\w+{GROUP}|{GROUP}|-?[A-Za-z0-9]\\w*(?:\\.\\d+)?|\\|\\w+\\|)|(?<=\\b[A-Za-z])_(\\w{{1,3}})\\b")
CODE = nodes.literal | nodes.literal_block | nodes.comment | nodes.raw


def parts(text):
    end = 0
    for found in RAISED.finditer(text):
        upper, lower = found.groups()
        yield nodes.Text(text[end:found.start()])
        if lower:
            yield nodes.subscript("", lower)
        else:
            inner = upper[1:-1] if upper.startswith("(") else upper
            yield nodes.superscript("", "", *parts(inner.replace("-", "\u2212")))
        end = found.end()
    yield nodes.Text(text[end:])


def set_mathematics(app, doctree):
    for text in list(doctree.findall(nodes.Text)):
        if not isinstance(text.parent, CODE):
            text.parent.replace(text, list(parts(text)))


def setup(app):
    app.connect("doctree-read", set_mathematics)
"""


def pages():
    """Paths of the pages, relative to the tree."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "*.md"], capture_output=True, text=True, check=False).stdout
    found = listed.split() or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.md") if "build" not in path.parts]
    hidden = (".", "python/tests/")
    return sorted(pathlib.PurePosixPath(name) for name in found if not name.startswith(hidden))


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.pages = set(pages())
        self.lists = set()
        self.broken = []

    def relative(self, target, page):
        return os.path.relpath(target, page.parent).replace(os.sep, "/")

    def copy_file(self, target):
        """A file that is not a page, under its own path. Sources are shown as text."""
        name = f"{target}.txt" if target.suffix in (".h", ".cc", ".py", ".sh", "") else str(target)
        place = self.folder / "_static/files" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / target, place)
        return pathlib.PurePosixPath("_static/files") / name

    def place_of(self, link, page):
        """The link as the site has it."""
        address, _, anchor = link.partition("#")
        if not address or re.match(r"[a-z]+:", address):
            return link
        target = pathlib.PurePosixPath(os.path.normpath(page.parent / address))
        anchor = f"#{anchor}" if anchor else ""
        if target in self.pages:
            return self.relative(target, page) + anchor
        if (ROOT / target).is_dir():
            self.lists.add(target)
            return self.relative(target / "index.md", page)
        if (ROOT / target).is_file():
            return self.relative(self.copy_file(target), page)
        self.broken.append(f"{page}: {link}")
        return link

    def image(self, link, page):
        """Pictures are copied beside the page; light and dark ones follow the reader's choice by themselves."""
        target = pathlib.PurePosixPath(os.path.normpath(page.parent / link))
        if not (ROOT / target).is_file():
            self.broken.append(f"{page}: {link}")
            return link
        place = self.folder / target
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / target, place)
        return link

    def rewrite(self, page):
        fenced = False
        lines = []
        for line in (ROOT / page).read_text().split("\n"):
            if FENCE.match(line.strip()):
                fenced = not fenced
            if not fenced:
                line = LINK.sub(lambda found: found[1] + "(" + (
                    self.image(found[2], page) if found[1].startswith("!") else self.place_of(found[2], page)) + ")", line)
            lines.append(line)
        place = self.folder / page
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\n".join(lines))

    def write_lists(self):
        done = set()
        while self.lists - done:
            target = sorted(self.lists - done)[0]
            done.add(target)
            page = target / "index.md"
            lines = [f"# {target}", ""]
            for entry in sorted((ROOT / target).iterdir()):
                if entry.is_file() and not entry.name.startswith("."):
                    lines.append(f"- [{entry.name}]({self.place_of(entry.name, page)})")
            place = self.folder / page
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text("\n".join(lines) + "\n")
        return done

    def write_index(self):
        """The start page, and a tree of all pages for the side bar."""
        def tree(title, names, caption=True):
            head = f"```{{toctree}}\n:maxdepth: 1\n" + (f":caption: {title}\n" if caption else "") + ":hidden:\n\n"
            return head + "\n".join(names) + "\n```\n"

        groups = {"Documentation": [], "How-to": [], "Models": [], "Reference": [], "Proofs": [], "Project": []}
        for page in sorted(self.pages | {name / "index.md" for name in self.lists}):
            parts = page.parts
            if parts[0] == "docs" and len(parts) == 2:
                groups["Documentation"].append(str(page))
            elif parts[:2] == ("docs", "how-to"):
                groups["How-to"].append(str(page))
            elif parts[:2] in (("docs", "models"), ("docs", "papers")):
                groups["Models"].append(str(page))
            elif parts[0] == "docs":
                groups["Reference"].append(str(page))
            elif parts[0] in ("sotto", "python"):
                groups["Proofs"].append(str(page))
            else:
                groups["Project"].append(str(page))
        readme = "```{include} README.md\n```\n"
        text = readme + "".join(tree(title, names) for title, names in groups.items() if names)
        (self.folder / "index.md").write_text(text)

    def prepare(self):
        (self.folder / "_static").mkdir(parents=True)
        shutil.copy(ROOT / "tools/site.css", self.folder / "_static/sotto.css")
        (self.folder / "conf.py").write_text(CONF)
        for page in sorted(self.pages):
            self.rewrite(page)
        self.write_lists()
        self.write_index()


def python():
    """Debian's own, which finds the modules of its packages."""
    return "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable


def links_of(html):
    return re.findall(r'(?:href|src)="([^"]+)"', html)


def broken_links(out):
    """Links of the finished pages that lead nowhere, also to a place within a page."""
    texts = {path: path.read_text() for path in out.rglob("*.html")}
    bad = []
    for path, text in texts.items():
        for link in links_of(text):
            address, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link) or link.startswith("//"):
                if not re.match(r"(https?|mailto|data):", link):
                    bad.append(f"{path.relative_to(out)}: {link}")
                continue
            target = path if not address else pathlib.Path(os.path.normpath(path.parent / address.partition("?")[0]))
            if not target.exists():
                bad.append(f"{path.relative_to(out)}: {link}")
            elif anchor and target in texts and f'id="{anchor}"' not in texts[target]:
                bad.append(f"{path.relative_to(out)}: {link}")
    return sorted(set(bad))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    out = parser.parse_args().out.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        site = Site(pathlib.Path(scratch) / "pages")
        site.prepare()
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([python(), "-m", "sphinx", "-q", "-b", "html", "-d", f"{scratch}/trees", site.folder, out],
                              capture_output=True, text=True, check=False)
    warnings = sorted({line.replace(scratch, "") for line in done.stderr.splitlines() if line.strip()})
    bad = site.broken + broken_links(out) if done.returncode == 0 else []
    for line in warnings + [f"broken link: {line}" for line in bad]:
        print(line, file=sys.stderr)
    if done.returncode != 0 or warnings or bad:
        sys.exit("site: failed")
    print(f"{out}/index.html: {len(site.pages)} pages, no broken link")


if __name__ == "__main__":
    main()

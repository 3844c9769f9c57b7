"""A privacy officer reads the first page of a report, and can tell what to sign from what to send back."""
import html
import pathlib
import re
import subprocess


def sotto(*words):
    return subprocess.run(["sotto", *words], check=True, capture_output=True, text=True).stdout


def first_page(name):
    """The officer's page as it reads, and the rest."""
    text = pathlib.Path(name).read_text()
    assert "<script" not in text
    words = html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"<(style|svg).*?</\1>", "", text,
                                                                                flags=re.S))))
    page, found, rest = words.partition("Reviewed by")
    assert found, "there is a line to sign"
    return page, rest


pathlib.Path("life.csv").write_text(sotto("generate", "life", "--rounds", "3000", "--seed", "7"))
pathlib.Path("life.schema.json").write_text(sotto("generate", "life", "--print-schema"))
ask = ["run", "tide", "--epsilon", "1", "--delta", "1e-6", "--horizon", "3000", "--schema", "life.schema.json",
       "-d", "life.csv", "--quiet"]

# What is signed: who is protected, from whom, what left the system, what it cost, what is assumed.
sotto(*ask, "--report", "report.html", "--compare")
page, rest = first_page("report.html")
for words in ("Privacy report: private", "model tide", "Data life.csv", "1 epsilon", "1e-6 delta", "3,000 rounds",
              "at most 74% becomes of a suspicion of 50%", "Columns age, income, hours, children, job, region, device",
              "Who is protected", "From whom", "What is protected", "What is not", "Where the budget goes",
              "What left the system", "operator only", "Assumptions", "Open points"):
    assert words in page, (words, page)
assert re.search(r"\b20\d\d-\d\d-\d\d\b", page), "a date"
assert re.search(r"Sotto \d+\.\d+", page), "a version"
assert "without privacy" in page and "NOT PRIVATE" not in page

# What may be shown to anybody has no exact count.
sotto(*ask, "--report", "public.html", "--public")
page, _ = first_page("public.html")
assert "What it cost" not in page, page

# What is sent back: noise that anyone can recompute.
sotto(*ask, "--report", "seeded.html", "--seed", "1")
page, _ = first_page("seeded.html")
assert "NOT PRIVATE" in page and "--seed" in page, page

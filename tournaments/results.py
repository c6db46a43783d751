#!/usr/bin/env python3
"""Makes `docs/results.md` from the measurements in `tournaments/data/`.

    python3 tournaments/results.py            print the document
    python3 tournaments/results.py --write    write it
    python3 tournaments/results.py --check    exit with 1 if the file differs from the data

`data/template.txt` holds the text. A line there that begins with `@table` becomes a table:

    @table FILE TABLE… | HEADING = FIELD | HEADING = FIELD …

FILE names a CSV file without its extension. The rows whose field `table` is one of TABLE… are
selected, in the order of the file; `*` selects all. A heading without `= FIELD` is the name of its
field. `@pivot FILE TABLE… | ROW | COLUMN | FIELD` makes a table with one row for each value of the
field ROW and one column for each value of COLUMN.
"""

import csv
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
DATA = FOLDER / "data"
DOCUMENT = FOLDER.parent / "docs" / "results.md"
WORDS_PER_CELL = 12


class Fault(Exception):
    """An error in the data or in the template."""


def measurements(name, *tables):
    """The rows of a data file that belong to one of the tables."""
    path = DATA / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, strict=True))
    for number, row in enumerate(rows, 2):
        if None in row or None in row.values():
            raise Fault(f"{path.name}:{number}: expected as many fields as the header has")
    selected = [row for row in rows if "*" in tables or row["table"] in tables]
    if not selected:
        raise Fault(f"{path.name}: expected rows of the table `{' '.join(tables)}`")
    return selected


def cell(text):
    """A cell of a table. Whole numbers of five digits and more get separators of thousands."""
    if len(text.split()) > WORDS_PER_CELL:
        raise Fault(f"cell `{text}`: expected at most {WORDS_PER_CELL} words")
    if text.isdecimal() and len(text) > 4:
        text = f"{int(text):,}"
    return text.replace("|", "&#124;")


def markdown(headings, rows):
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(map(cell, line)) + " |" for line in lines)


def plain_table(source, columns):
    """The table of an `@table` line."""
    pairs = [[part.strip() for part in column.split("=")] for column in columns]
    fields = [pair[-1] for pair in pairs]
    rows = [[row[field] for field in fields] for row in measurements(*source)]
    return markdown([pair[0] for pair in pairs], rows)


def pivot_table(source, columns):
    """The table of a `@pivot` line."""
    down, across, field = (column.strip() for column in columns)
    rows = measurements(*source)
    headings = list(dict.fromkeys(row[across] for row in rows))
    lines = []
    for name in dict.fromkeys(row[down] for row in rows):
        values = {row[across]: row[field] for row in rows if row[down] == name}
        lines.append([name, *(values.get(heading, "") for heading in headings)])
    return markdown([down, *headings], lines)


def document():
    """The text of `docs/results.md`."""
    lines = []
    for line in (DATA / "template.txt").read_text(encoding="utf-8").splitlines():
        kind, _, rest = line.partition(" ")
        if kind in ("@table", "@pivot"):
            source, *columns = rest.split("|")
            make = plain_table if kind == "@table" else pivot_table
            try:
                line = make(source.split(), columns)
            except (KeyError, TypeError, ValueError) as fault:
                raise Fault(f"template line `{line}`: {fault!r}") from None
        lines.append(line)
    return "\n".join(lines) + "\n"


def main(arguments):
    """Runs the command line and returns the exit code."""
    if arguments not in ([], ["--write"], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 64
    try:
        text = document()
    except (Fault, OSError, csv.Error) as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    if arguments == ["--write"]:
        DOCUMENT.write_text(text, encoding="utf-8")
    elif arguments == ["--check"]:
        if not DOCUMENT.exists() or DOCUMENT.read_text(encoding="utf-8") != text:
            print(
                "error: docs/results.md differs from tournaments/data: "
                "run `python3 tournaments/results.py --write`",
                file=sys.stderr,
            )
            return 1
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
